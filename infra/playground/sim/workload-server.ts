import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Node } from "../../../shared/api/core.ts";
import type { Clock, KubeClient, Random } from "../../../shared/runtime/ports.ts";
import { createServer, type Server } from "../../platform/kube/client.ts";
import { parseKubeconfig } from "../../platform/kube/kubeconfig.ts";
import type { Credentials, Pki } from "../../platform/pki/pki.ts";
import { type ApiServerOptions, startApiServer } from "../apiserver/entry.ts";
import type { Network } from "../network.ts";
import type { CloudAddress } from "./address.ts";

/** A virtual workload API server, and the cloud's connection to it. */
export interface WorkloadServer {
  /** The host as clients are given it. */
  readonly host: string;
  readonly port: number;
  /** Throws while it has no authority. */
  readonly client: KubeClient;
  /**
   * Shows a certificate of this authority from now on, and takes the client certificates of it: the common name is the
   * user, the organizations are the groups. Nothing is done when it does so already.
   */
  trust(authority: Credentials): Promise<void>;
  /** Whether it answers; it holds its port also while it does not. */
  readonly answers: boolean;
  /** Lets it answer, or break every connection, as a load balancer does without API servers behind it. */
  setAnswers(answers: boolean): void;
  /** Whether a Node of this name is there that repeats this provider ID, also while it does not answer. */
  hasNode(name: string, providerID: string): boolean;
  /** Stops it; with a folder for its objects the next one of that identity continues. */
  stop(): Promise<void>;
  /** Stops it for good: its objects go, too. */
  end(): Promise<void>;
}

export interface WorkloadServerOptions {
  /** Identity of the server. */
  readonly id: string;
  readonly clusterName: string;
  readonly address: CloudAddress;
  /** Folder with a folder for each server; in memory only when absent. */
  readonly data?: string | undefined;
  /** Tried first; a free port is taken when it is in use. */
  readonly port: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  readonly pki: Pki;
}

/** The cloud writes to a server in its own process; the limit only keeps a runaway loop readable. */
const REQUESTS_PER_SECOND = 5_000;

/** Starts a server that does not answer yet, and cannot before it has an authority. */
export async function startWorkloadServer(options: WorkloadServerOptions): Promise<WorkloadServer> {
  const { clusterName: name, port = 0, clock, random, network, address } = options;
  const data = options.data === undefined ? undefined : join(options.data, folderOf(options.id));
  const server = await startOnPort({
    name,
    port,
    clock,
    random,
    host: address.own,
    listenOn: address.listen ?? "all",
    names: [address.announced],
    listen: network.listen,
    tls: "presented",
    ...(data === undefined ? {} : { data }),
  });
  const rate = { requestsPerSecond: REQUESTS_PER_SECOND, burst: REQUESTS_PER_SECOND };
  let answers = false;
  server.setAnswers(answers);
  let connection: Server | undefined;
  let trusted: string | undefined;
  const stop = async (): Promise<void> => {
    connection?.[Symbol.dispose]();
    await server.stop();
  };
  return {
    host: address.announced,
    port: server.port,
    get client() {
      if (connection === undefined) throw new Error(`the workload server of ${name} has no certificate yet`);
      return connection.as("sim-cloud");
    },
    async trust(authority) {
      if (authority.cert === trusted) return;
      server.present({ ...(await newIdentity(authority, options)), clientAuthority: authority.cert });
      trusted = authority.cert;
      connection?.[Symbol.dispose]();
      // The token of the server's own kubeconfig is nowhere else.
      const access = parseKubeconfig(server.kubeconfig());
      connection = createServer(access, { clock, rate, connect: network.connect });
    },
    get answers() {
      return answers;
    },
    setAnswers(next) {
      answers = next;
      server.setAnswers(next);
    },
    hasNode(nodeName, providerID) {
      const node = server.storage.collection(NODES).find(`/${nodeName}`) as Node | undefined;
      return node?.spec?.providerID === providerID;
    },
    stop,
    async end() {
      await stop();
      if (data !== undefined) await rm(data, { recursive: true, force: true });
    },
  };
}

/** Identities may hold any character. */
function folderOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/** The collection of Nodes in the storage of a server. */
const NODES = "/nodes";

const VALID_MS = 365 * 24 * 60 * 60_000;

/** The names that kubeadm gives to an API server, and this machine. */
const NAMES = {
  dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
  ips: ["127.0.0.1"],
};

async function newIdentity(
  signer: Credentials,
  { pki, clock, address: { announced } }: WorkloadServerOptions,
): Promise<Credentials> {
  const [{ notBefore, notAfter: end }] = pki.read(signer.cert);
  const { publicKey, privateKey } = await pki.newKeys();
  const endMs = Math.min(end.getTime(), clock.now().getTime() + VALID_MS);
  const notAfter = new Date(Math.floor(endMs / 1_000) * 1_000);
  const subject = { commonName: "kube-apiserver" };
  const use =
    isIP(announced) === 0
      ? { ...NAMES, dns: [...new Set([...NAMES.dns, announced])] }
      : { ...NAMES, ips: [...new Set([...NAMES.ips, announced])] };
  const cert = await pki.sign({ subject, publicKey, notBefore, notAfter, use, signer });
  return { cert, key: privateKey };
}

async function startOnPort(wanted: ApiServerOptions) {
  try {
    return await startApiServer(wanted);
  } catch (error) {
    const inUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!inUse) throw error;
    return startApiServer({ ...wanted, port: 0 });
  }
}
