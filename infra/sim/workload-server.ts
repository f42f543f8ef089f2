import type { Clock, KubeClient, Random } from "../../shared/runtime/ports.ts";
import { type ApiServerOptions, startApiServer } from "../apiserver/entry.ts";
import { createServer, type Server } from "../kube/client.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import type { Network } from "../network.ts";
import type { Credentials, Pki } from "../pki/pki.ts";

/** A virtual workload API server on loopback, and the cloud's connection to it. */
export interface WorkloadServer {
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
  stop(): Promise<void>;
}

export interface WorkloadServerOptions {
  readonly clusterName: string;
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
  const { clusterName: name, port = 0, clock, random, network } = options;
  const server = await startOnPort({ name, port, clock, random, listen: network.listen, tls: "presented" });
  const rate = { requestsPerSecond: REQUESTS_PER_SECOND, burst: REQUESTS_PER_SECOND };
  let answers = false;
  server.setAnswers(answers);
  let connection: Server | undefined;
  let trusted: string | undefined;
  return {
    host: new URL(server.url).hostname,
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
    async stop() {
      connection?.[Symbol.dispose]();
      await server.stop();
    },
  };
}

const VALID_MS = 365 * 24 * 60 * 60_000;

/** The names that kubeadm gives to an API server, and this machine. */
const NAMES = {
  dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
  ips: ["127.0.0.1"],
};

async function newIdentity(signer: Credentials, { pki, clock }: WorkloadServerOptions): Promise<Credentials> {
  const [{ notBefore }] = pki.read(signer.cert);
  const { publicKey, privateKey } = await pki.newKeys();
  const notAfter = new Date(Math.floor((clock.now().getTime() + VALID_MS) / 1_000) * 1_000);
  const subject = { commonName: "kube-apiserver" };
  const cert = await pki.sign({ subject, publicKey, notBefore, notAfter, use: NAMES, signer });
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
