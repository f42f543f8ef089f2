import { Secret } from "../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT, type ObjectKey, workloadCluster } from "../../shared/api/kinds.ts";
import { WaitingError } from "../../shared/runtime/errors.ts";
import { valueAt } from "../../shared/runtime/path.ts";
import type { Clients, Clock, KubeClient, Log, Store } from "../../shared/runtime/ports.ts";
import type { Server } from "../kube/client.ts";
import type { RequestRate } from "../kube/rate-limit.ts";
import type { Connect } from "../kube/transport.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import { createWorkloadServer, kubeconfigSecretOf, workloadAccess } from "./workload-access.ts";

export interface ClientsOptions {
  readonly management: Server;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version?: string | undefined;
  /** To each workload server. Default 100 requests/s, burst 200. */
  readonly workloadRate?: Partial<RequestRate> | undefined;
  /** How workload servers are reached. Default: over the network. */
  readonly connect?: Connect | undefined;
}

interface Known {
  /** Of the Connection snapshot that it was made for. */
  readonly connectionVersion: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly server: Server;
}

/**
 * Clients of a process without a relay (a worker): whether a Cluster is connected comes from the read model, the
 * kubeconfig Secret is read by name when first needed, after a 401, and when the Connection has changed.
 * A call throws WaitingError while the Cluster is not connected.
 */
export function createClients({ management, ...options }: ClientsOptions): Clients & AsyncDisposable {
  const known = new Map<string, Promise<Known>>();

  const open = async (
    cluster: ObjectKey,
    connection: KubeObject,
    before: Known | undefined,
  ): Promise<Known> => {
    const connectionVersion = connection.metadata.resourceVersion;
    const secret = await management.as("worker").get(Secret, kubeconfigSecretOf(cluster));
    if (secret === undefined) throw new WaitingError(`Connection ${workloadCluster(cluster)}`);
    const kubeconfig = secret.data?.["value"];
    if (before !== undefined && before.kubeconfig === kubeconfig) return { ...before, connectionVersion };
    const access = workloadAccess(secret, management.url);
    const server = createWorkloadServer(cluster, access, { ...options, server: management });
    before?.server[Symbol.dispose]();
    return { connectionVersion, kubeconfig, server };
  };
  const lastOf = async (name: string) => known.get(name)?.catch(() => undefined);
  const serverOf = async (name: string): Promise<Server> => {
    const [namespace = "", clusterName = ""] = name.split("/");
    const cluster = { namespace, name: clusterName };
    const connection = await options.store.get(CONNECTION_TYPE, cluster);
    if (connection === undefined || valueAt(connection, "status.state") !== "connected") {
      throw new WaitingError(`Connection ${name}`);
    }
    // One after the other per Cluster: two calls at once must not open two servers.
    const opening = lastOf(name).then((before) =>
      before !== undefined && before.connectionVersion === connection.metadata.resourceVersion
        ? before
        : open(cluster, connection, before),
    );
    known.set(name, opening);
    return (await opening).server;
  };

  return {
    of: (cluster, functionName, sending) =>
      cluster === MANAGEMENT
        ? management.as(functionName, sending)
        : lateClient(async () => (await serverOf(cluster)).as(functionName, sending)),
    async [Symbol.asyncDispose]() {
      for (const opened of known.values()) {
        const found = await opened.catch(() => undefined);
        found?.server[Symbol.dispose]();
      }
    },
  };
}

/** A client that finds its server with every call. */
function lateClient(find: () => Promise<KubeClient>): KubeClient {
  return {
    get: async (...call) => (await find()).get(...call),
    list: async (...call) => (await find()).list(...call),
    create: async (...call) => (await find()).create(...call),
    jsonPatch: async (...call) => (await find()).jsonPatch(...call),
    apply: async (...call) => (await find()).apply(...call),
    delete: async (...call) => (await find()).delete(...call),
    async *watch(...call) {
      yield* (await find()).watch(...call);
    },
  };
}
