import { Secret } from "../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT, type ObjectKey, workloadCluster } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { assert, WaitingError } from "../../../shared/function/errors.ts";
import type { Clients, KubeClient, Store } from "../../../shared/runtime/ports.ts";
import type { Server } from "../../platform/kube/client.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import {
  createWorkloadServer,
  kubeconfigSecretOf,
  type WorkloadReach,
  workloadAccess,
} from "./workload-access.ts";

export interface ClientsOptions extends WorkloadReach {
  readonly management: Server;
  readonly store: Store;
}

interface Known {
  /** Version of the Connection snapshot that it was created for. */
  readonly connectionVersion: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly server: Server;
}

/** How often changed and removed credentials are looked for (S-13). */
const SWEEP_MS = 5 * SECOND;

/**
 * Creates the clients of a process without a relay (a worker). The read model shows whether a Cluster is connected; the
 * kubeconfig Secret is read by name when first needed, after a 401, and when the Connection has changed. Credentials of
 * a Cluster that is no longer connected, or of a changed Secret, are dropped within 5 s (S-13). A call throws
 * WaitingError while the Cluster is not connected.
 */
export function createClients({ management, ...options }: ClientsOptions): Clients & AsyncDisposable {
  const known = new Map<string, Promise<Known>>();
  let cancelSweep = () => undefined as unknown;

  const open = async (
    cluster: ObjectKey,
    connection: KubeObject,
    before: Known | undefined,
  ): Promise<Known> => {
    const connectionVersion = connection.metadata.resourceVersion;
    const secret = await management.as("worker").get(Secret, kubeconfigSecretOf(cluster));
    const kubeconfig = secret?.data?.["value"];
    if (before !== undefined && before.kubeconfig === kubeconfig) return { ...before, connectionVersion };
    before?.server[Symbol.dispose]();
    if (secret === undefined) throw new WaitingError(`Connection ${workloadCluster(cluster)}`);
    const workload = { ...options, server: management };
    const server = createWorkloadServer(cluster, workloadAccess(secret, workload), workload);
    return { connectionVersion, kubeconfig, server };
  };
  const lastOf = async (name: string) => known.get(name)?.catch(() => undefined);
  const connectionOf = async (cluster: ObjectKey) => {
    const connection = await options.store.get(CONNECTION_TYPE, cluster);
    return connection !== undefined && valueAt(connection, "status.state") === "connected"
      ? connection
      : undefined;
  };
  const serverOf = async (name: string): Promise<Server> => {
    const cluster = clusterOf(name);
    const connection = await connectionOf(cluster);
    if (connection === undefined) throw new WaitingError(`Connection ${name}`);
    // One after the other per Cluster: two calls at once must not open two servers.
    const opening = lastOf(name).then((before) =>
      before !== undefined && before.connectionVersion === connection.metadata.resourceVersion
        ? before
        : open(cluster, connection, before),
    );
    known.set(name, opening);
    return (await opening).server;
  };
  const forget = async (name: string) => {
    const last = lastOf(name);
    known.delete(name);
    (await last)?.server[Symbol.dispose]();
  };
  const sweep = async (name: string) => {
    if ((await connectionOf(clusterOf(name))) === undefined) await forget(name);
    else await serverOf(name).catch(() => undefined);
  };
  const armSweep = () => {
    cancelSweep = options.clock.after(SWEEP_MS, () => {
      armSweep();
      // A failed check is repeated by the next sweep.
      for (const name of known.keys()) void sweep(name).catch(() => undefined);
    });
  };
  armSweep();

  return {
    of: (cluster, functionName, sending) =>
      cluster === MANAGEMENT
        ? management.as(functionName, sending)
        : lateClient(async () => (await serverOf(cluster)).as(functionName, sending)),
    async [Symbol.asyncDispose]() {
      cancelSweep();
      await Promise.all([...known.keys()].map(forget));
    },
  };
}

/** The clients of a process that holds no credentials of workload clusters. */
export function managementOnly(management: Server): Clients {
  return {
    of(cluster, functionName, sending) {
      assert(cluster === MANAGEMENT, `${functionName} calls ${cluster} in a worker without workload clients`);
      return management.as(functionName, sending);
    },
  };
}

function clusterOf(name: string): ObjectKey {
  const [namespace = "", clusterName = ""] = name.split("/");
  return { namespace, name: clusterName };
}

/** Returns a client that finds its server with every call. */
function lateClient(find: () => Promise<KubeClient>): KubeClient {
  return {
    get: async (...call) => (await find()).get(...call),
    list: async (...call) => (await find()).list(...call),
    create: async (...call) => (await find()).create(...call),
    jsonPatch: async (...call) => (await find()).jsonPatch(...call),
    evict: async (...call) => (await find()).evict(...call),
    apply: async (...call) => (await find()).apply(...call),
    delete: async (...call) => (await find()).delete(...call),
    kinds: async (...call) => (await find()).kinds(...call),
    async *watch(...call) {
      yield* (await find()).watch(...call);
    },
  };
}
