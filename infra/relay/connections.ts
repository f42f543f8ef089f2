import { Secret } from "../../shared/api/core.ts";
import {
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
  workloadCluster,
} from "../../shared/api/kinds.ts";
import { WaitingError } from "../../shared/runtime/errors.ts";
import { sameJson, valueAt } from "../../shared/runtime/path.ts";
import type { Clients, Clock, KubeClient, Log, Store } from "../../shared/runtime/ports.ts";
import type { Change } from "../../shared/runtime/route.ts";
import type { Server } from "../kube/client.ts";
import { type ConnectionStatus, createConnection, type WorkloadConnection } from "./connection.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import type { Delivery } from "./delivery.ts";
import { createKubeconfigSecrets } from "./kubeconfig-secrets.ts";
import { untilAccepted } from "./retry.ts";
import { createWorkloadServer, kubeconfigSecretOf, workloadAccess } from "./workload-access.ts";
import { nodesOf } from "./workload-nodes.ts";

export type { ConnectionStatus };

/** The connections to the workload servers of all Clusters. */
export interface Connections extends AsyncDisposable {
  /** Any stored change; those of Clusters start, retry and end connections. Never waits. */
  clusterChanged(change: Change): void;
  /** Throws WaitingError while the Cluster is not connected. */
  of(cluster: string, functionName: string): KubeClient;
  status(): readonly ConnectionStatus[];
  /** Publishes and lists again what the store has lost. */
  relistLost(): void;
}

export interface ConnectionsOptions {
  /** The management server. */
  readonly server: Server;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  readonly version?: string | undefined;
}

/** When one of these changes, a failed attempt may succeed now. */
const RETRY_ON = [
  "spec.controlPlaneEndpoint",
  "status.initialization",
  "status.conditions[ControlPlaneInitialized].status",
];

interface Followed {
  readonly uid: string;
  readonly connection: WorkloadConnection;
  readonly unfollow: () => Promise<void>;
}

export function startConnections(options: ConnectionsOptions): Connections {
  const secrets = createKubeconfigSecrets(options);
  const followed = new Map<string, Followed>();
  const closing = new Map<string, Promise<void>>();

  const start = (cluster: ObjectKey, uid: string) => {
    const askForSecret = () => secrets.ask(cluster);
    const connection = createConnection({ ...options, cluster, uid, askForSecret });
    const unfollow = secrets.follow(cluster, (secret) => connection.secretChanged(secret));
    followed.set(workloadCluster(cluster), { uid, connection, unfollow });
  };
  const stop = (cluster: ObjectKey, ended: Followed) => {
    const name = workloadCluster(cluster);
    followed.delete(name);
    const close = async () => {
      await ended.unfollow();
      await ended.connection[Symbol.asyncDispose]();
      await forget(cluster, ended.uid);
    };
    const closed = close()
      .catch((error: unknown) => {
        if (!options.signal.aborted)
          options.log.error({ cluster: name, error: String(error) }, "bug: closing failed");
      })
      .finally(() => closing.delete(name));
    closing.set(name, closed);
  };
  const forget = async (cluster: ObjectKey, uid: string) => {
    const { store, delivery } = options;
    await untilAccepted(() => store.drop(nodesOf(cluster)), options);
    const last = await untilAccepted(() => store.get(CONNECTION_TYPE, cluster), options);
    if (last?.metadata.uid === uid) await delivery.remove(CONNECTION_TYPE, last);
  };
  const appeared = (cluster: ObjectKey, uid: string) => {
    const ended = closing.get(workloadCluster(cluster));
    if (ended === undefined) start(cluster, uid);
    // A Cluster of the same name must not lose its Nodes to the end of its predecessor.
    else void ended.then(() => (options.signal.aborted ? undefined : start(cluster, uid)));
  };

  return {
    clusterChanged(change) {
      const object = change.after ?? change.before;
      if (object === undefined || !isCluster(change) || options.signal.aborted) return;
      const cluster = objectKeyOf(object);
      const uid = object.metadata.uid ?? "";
      const known = followed.get(workloadCluster(cluster));
      if (known !== undefined && change.after !== undefined && known.uid === uid) {
        if (mayHelp(change)) known.connection.retryNow();
        return;
      }
      if (known !== undefined) stop(cluster, known);
      if (change.after !== undefined) appeared(cluster, uid);
    },
    of(cluster, functionName) {
      const known = followed.get(cluster);
      if (known === undefined) throw new WaitingError(`Connection ${cluster}`);
      return known.connection.client(functionName);
    },
    status: () => [...followed.values()].map(({ connection }) => connection.status()),
    relistLost() {
      for (const { connection } of followed.values()) connection.relistLost();
    },
    async [Symbol.asyncDispose]() {
      await secrets[Symbol.asyncDispose]();
      await Promise.all([...followed.values()].map(({ connection }) => connection[Symbol.asyncDispose]()));
      await Promise.all(closing.values());
    },
  };
}

function isCluster({ kind, cluster }: Change): boolean {
  return kind.kind === "Cluster" && kind.group === "cluster.x-k8s.io" && cluster === MANAGEMENT;
}

function mayHelp({ before, after }: Change): boolean {
  return RETRY_ON.some((path) => !sameJson(valueAt(before, path), valueAt(after, path)));
}

export interface ClientsOptions {
  readonly management: Server;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version?: string | undefined;
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
    of: (cluster, functionName) =>
      cluster === MANAGEMENT
        ? management.as(functionName)
        : lateClient(async () => (await serverOf(cluster)).as(functionName)),
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
