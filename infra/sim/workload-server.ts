import type { Clock, KubeClient, Random } from "../../shared/runtime/ports.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../apiserver/entry.ts";
import { createServer } from "../kube/client.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import type { Network } from "../network.ts";
import { writeYaml } from "../yaml/write-yaml.ts";

/** A virtual workload API server on loopback, and the cloud's connection to it. */
export interface WorkloadServer {
  readonly host: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Whether it answers; it holds its port also while it does not. */
  readonly answers: boolean;
  /** Lets it answer, or break every connection, as a load balancer does without API servers behind it. */
  setAnswers(answers: boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkloadServerOptions {
  readonly clusterName: string;
  /** Tried first; a free port is taken when it is in use. */
  readonly port: number | undefined;
  /** Kubeconfig of the server's previous start: its token stays valid. */
  readonly kubeconfig: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
}

/** The cloud writes to a server in its own process; the limit only keeps a runaway loop readable. */
const REQUESTS_PER_SECOND = 5_000;

/** Starts a server that does not answer yet. */
export async function startWorkloadServer(options: WorkloadServerOptions): Promise<WorkloadServer> {
  const { clusterName, clock, random, network } = options;
  const token = tokenOf(options.kubeconfig) ?? random.id(24);
  const server = await startOnPort({
    name: clusterName,
    port: options.port ?? 0,
    token,
    clock,
    random,
    listen: network.listen,
  });
  const access = parseKubeconfig(server.kubeconfig());
  const rate = { requestsPerSecond: REQUESTS_PER_SECOND, burst: REQUESTS_PER_SECOND };
  const connection = createServer(access, { clock, rate, connect: network.connect });
  const gate = gateOf(server);
  return {
    host: new URL(server.url).hostname,
    port: server.port,
    kubeconfig: kubeconfigText(clusterName, access.server, token),
    client: connection.as("sim-cloud"),
    get answers() {
      return gate.isOpen();
    },
    setAnswers: gate.set,
    async stop() {
      connection[Symbol.dispose]();
      await server.stop();
    },
  };
}

/** Closed at first. Closing breaks what is under way, watches included. */
function gateOf(server: ApiServer) {
  const close = (): number =>
    server.faults.add({ on: { path: "/" }, effect: { kind: "reset", when: "before" } });
  let closedBy: number | undefined = close();
  return {
    isOpen: () => closedBy === undefined,
    async set(open: boolean): Promise<void> {
      if (open === (closedBy === undefined)) return;
      if (closedBy !== undefined) server.faults.remove(closedBy);
      closedBy = open ? undefined : close();
      if (!open) await server.restart();
    },
  };
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

/** Names as in the kubeconfigs that Cluster API writes. Source: CL-7.1 */
function kubeconfigText(clusterName: string, server: URL, token: string): string {
  const user = `${clusterName}-admin`;
  const context = `${user}@${clusterName}`;
  return writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: clusterName, cluster: { server: server.href } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: context, context: { cluster: clusterName, user } }],
    "current-context": context,
  });
}

function tokenOf(kubeconfig: string | undefined): string | undefined {
  if (kubeconfig === undefined) return undefined;
  try {
    return parseKubeconfig(kubeconfig).token;
  } catch {
    // The Secret does not hold a kubeconfig of ours: it is replaced.
    return undefined;
  }
}
