import { Node } from "../../../shared/api/core.ts";
import {
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
  workloadCluster,
} from "../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { WaitingError } from "../../../shared/function/errors.ts";
import { keptFields } from "../../../shared/runtime/kept-fields.ts";
import type { KubeClient, Sending, Store } from "../../../shared/runtime/ports.ts";
import type { Change } from "../../../shared/runtime/route.ts";
import type { Server } from "../../kube/client.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { EVERYTHING, type WatchFilter } from "../delivery/watch-filter.ts";
import { untilAccepted } from "../retry.ts";
import type { LoopStatus } from "../watch/watch-loop.ts";
import { type ConnectionStatus, createConnection, type WorkloadConnection } from "./connection.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import { startRefill } from "./connection-refill.ts";
import { createWatchedSecrets } from "./kubeconfig-secrets.ts";
import { createReadSecrets } from "./read-secrets.ts";
import type { WorkloadReach } from "./workload-access.ts";
import { nodesOf } from "./workload-nodes.ts";

export type { ConnectionStatus };

/** The connections to the workload servers of all Clusters. */
export interface Connections extends AsyncDisposable {
  /** Called with every stored change; changes of Clusters start, retry and end connections. Never waits. */
  clusterChanged(change: Change): void;
  /** Returns a client. Throws WaitingError while the Cluster is not connected. */
  of(cluster: string, functionName: string, sending?: Sending): KubeClient;
  status(): readonly ConnectionStatus[];
  /** Returns the status of the watches of kubeconfig Secrets. */
  secretLoops(): readonly LoopStatus[];
  /** Publishes and lists again the data that the store has lost. */
  relistLost(): void;
  /** Lists the kubeconfig Secrets again: the management server was restored or replaced. */
  relistSecrets(): void;
}

export interface ConnectionsOptions extends WorkloadReach {
  readonly functions: readonly AnyFunction[];
  /** The management server. */
  readonly server: Server;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  /** How kubeconfig Secrets are followed: `get` needs fewer rights and sees a change within five minutes. Default `watch`. */
  readonly kubeconfigSecrets?: "get" | "watch" | undefined;
  /** Clusters without the label of the filter are not connected. */
  readonly filter?: WatchFilter | undefined;
}

/** A failed attempt is retried when one of these fields changes. */
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
  const { filter = EVERYTHING, functions, signal } = options;
  const nodeFields = keptFields(functions, Node as Kind);
  const secrets = (options.kubeconfigSecrets === "get" ? createReadSecrets : createWatchedSecrets)(options);
  const followed = new Map<string, Followed>();
  const closing = new Map<string, Promise<void>>();

  const start = (cluster: ObjectKey, uid: string) => {
    const askForSecret = () => secrets.ask(cluster);
    const connection = createConnection({ ...options, nodeFields, cluster, uid, askForSecret });
    const unfollow = secrets.follow(cluster, (...found) => connection.secretChanged(...found));
    followed.set(workloadCluster(cluster), { uid, connection, unfollow });
  };
  /**
   * Ends a connection, also that of a Cluster that was deleted while no relay ran: an earlier relay has left its Nodes.
   */
  const stop = (cluster: ObjectKey, uid: string, ended: Followed | undefined) => {
    const name = workloadCluster(cluster);
    followed.delete(name);
    const close = async () => {
      await ended?.unfollow();
      await ended?.connection[Symbol.asyncDispose]();
      await forget(options, cluster, uid);
    };
    const closed = close().catch((error: unknown) => noteBug(options, name, error));
    closing.set(
      name,
      closed.finally(() => closing.delete(name)),
    );
  };
  const disappeared = (object: KubeObject) => {
    const known = followed.get(nameOf(object));
    stop(objectKeyOf(object), known?.uid ?? object.metadata.uid ?? "", known);
  };
  const appeared = (object: KubeObject, change: Change) => {
    const cluster = objectKeyOf(object);
    const { uid = "" } = object.metadata;
    const known = followed.get(nameOf(object));
    if (known?.uid === uid) {
      if (!mayHelp(change)) return;
      known.connection.retryNow();
      void secrets.ask(cluster).catch(() => undefined);
      return;
    }
    if (known !== undefined) disappeared(object);
    const ended = closing.get(nameOf(object));
    if (ended === undefined) start(cluster, uid);
    // The end of its predecessor must not remove the Nodes of a Cluster of the same name.
    else void ended.then(() => (signal.aborted ? undefined : start(cluster, uid)));
  };

  const refill = startRefill(options, followed);
  return {
    clusterChanged(change) {
      if (!isCluster(change) || signal.aborted) return;
      const { after, before } = change;
      if (before !== undefined && after === undefined) disappeared(before);
      if (after !== undefined && filter.isConcerned(after)) appeared(after, change);
      else if (after !== undefined && followed.has(nameOf(after))) disappeared(after);
    },
    of(cluster, functionName, sending) {
      const known = followed.get(cluster);
      if (known === undefined) throw new WaitingError(`Connection ${cluster}`);
      return known.connection.client(functionName, sending);
    },
    secretLoops: () => secrets.loops(),
    relistSecrets: () => secrets.relist(),
    status: () => [...followed.values()].map(({ connection }) => connection.status()),
    relistLost() {
      refill.look();
      for (const { connection } of followed.values()) connection.relistLost();
    },
    async [Symbol.asyncDispose]() {
      await secrets[Symbol.asyncDispose]();
      await Promise.all([...followed.values()].map(({ connection }) => connection[Symbol.asyncDispose]()));
      await Promise.all(closing.values());
    },
  };
}

async function forget(options: ConnectionsOptions, cluster: ObjectKey, uid: string): Promise<void> {
  const { store, delivery } = options;
  await delivery.drop(nodesOf(cluster));
  const last = await untilAccepted(() => store.get(CONNECTION_TYPE, cluster), options);
  if (last?.metadata.uid === uid) await delivery.remove(CONNECTION_TYPE, last);
}

function noteBug({ log, signal }: ConnectionsOptions, cluster: string, error: unknown): void {
  if (!signal.aborted)
    log.error({ cluster, error: String(error) }, "bug: closing a workload connection failed");
}

function nameOf(object: KubeObject): string {
  return workloadCluster(objectKeyOf(object));
}

function isCluster({ kind, cluster }: Change): boolean {
  return kind.kind === "Cluster" && kind.group === "cluster.x-k8s.io" && cluster === MANAGEMENT;
}

function mayHelp({ before, after }: Change): boolean {
  return RETRY_ON.some((path) => !sameJson(valueAt(before, path), valueAt(after, path)));
}
