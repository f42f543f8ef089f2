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
import type { KubeClient, Sending, Store } from "../../../shared/runtime/ports.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import { keptFields } from "../../../shared/runtime/read/kept-fields.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import type { Server } from "../../platform/kube/client.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { EVERYTHING, type WatchFilter } from "../delivery/watch-filter.ts";
import { untilAccepted } from "../retry.ts";
import { type ConnectionStatus, createConnection, type WorkloadConnection } from "./connection.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import { startRefill } from "./connection-refill.ts";
import { createWatchedSecrets } from "./kubeconfig-secrets.ts";
import { createLossLooks } from "./loss-looks.ts";
import { createReadSecrets } from "./read-secrets.ts";
import type { Share } from "./share.ts";
import type { WorkloadReach } from "./workload-access.ts";
import { nodesOf } from "./workload-nodes.ts";

export type { ConnectionStatus };

/** The connections to the workload servers of all Clusters. */
export interface Connections extends AsyncDisposable {
  /** Called with every stored change; changes of Clusters start, retry and end connections. Never waits. */
  clusterChanged(change: Change): void;
  /** Ends a connection that another relay has taken over; what is stored of it stays. Never waits. */
  release(cluster: ObjectKey): void;
  /** Removes all that is stored of a Cluster that no longer exists. `left` has its name and uid. Never waits. */
  forget(left: KubeObject): void;
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
  /** The part of this relay, where several relays share the workload clusters. Default: all of them. */
  readonly share?: Share | undefined;
}

/** A failed attempt is retried when one of these fields changes. */
const RETRY_ON = [
  "spec.controlPlaneEndpoint",
  "status.initialization",
  "status.conditions[ControlPlaneInitialized].status",
];

interface Followed {
  readonly uid: string;
  readonly startedAt: Date;
  readonly connection: WorkloadConnection;
  readonly unfollow: () => Promise<void>;
}

/** Ends of connections that are under way, by the name of the Cluster: its next connection begins after them. */
interface Endings {
  /** Ends something; a start of this name that still waits does not happen. `work` must not reject. */
  end(name: string, work: () => Promise<void>): void;
  /** Starts at once, or after what is ending. Of several starts of one name that wait, the last one happens. */
  start(name: string, begin: () => void): void;
  /** Resolves when all that is ending has ended. */
  settled(): Promise<void>;
}

export function createEndings(): Endings {
  const ending = new Map<string, Promise<void>>();
  const waiting = new Map<string, () => void>();
  return {
    end(name, work) {
      waiting.delete(name);
      const before = ending.get(name) ?? Promise.resolve();
      const ended: Promise<void> = before.then(work).then(() => {
        if (ending.get(name) !== ended) return;
        ending.delete(name);
        waiting.get(name)?.();
        waiting.delete(name);
      });
      ending.set(name, ended);
    },
    start(name, begin) {
      if (ending.has(name)) waiting.set(name, begin);
      else begin();
    },
    async settled() {
      await Promise.all(ending.values());
    },
  };
}

export function startConnections(options: ConnectionsOptions): Connections {
  const { filter = EVERYTHING, functions, signal, clock } = options;
  const nodeFields = keptFields(functions, Node as Kind);
  const secrets = (options.kubeconfigSecrets === "get" ? createReadSecrets : createWatchedSecrets)(options);
  const followed = new Map<string, Followed>();
  const endings = createEndings();
  const deleting = new Set<string>();

  const start = (cluster: ObjectKey, uid: string) => {
    const askForSecret = () => secrets.ask(cluster);
    const isEnding = () => deleting.has(workloadCluster(cluster));
    const connection = createConnection({ ...options, nodeFields, cluster, uid, askForSecret, isEnding });
    const unfollow = secrets.follow(cluster, (...found) => connection.secretChanged(...found));
    followed.set(workloadCluster(cluster), { uid, startedAt: clock.now(), connection, unfollow });
  };
  const stop = (cluster: ObjectKey, leave: () => void | Promise<void>) => {
    const name = workloadCluster(cluster);
    const ended = followed.get(name);
    followed.delete(name);
    deleting.delete(name);
    const close = async () => {
      await ended?.unfollow();
      await ended?.connection[Symbol.asyncDispose]();
      await leave();
    };
    endings.end(name, () => close().catch((error: unknown) => noteBug(options, name, error)));
  };
  /** Handles a Cluster's end, also of one deleted while no relay ran: an earlier relay has left its Nodes. */
  const disappeared = (object: KubeObject) => {
    const cluster = objectKeyOf(object);
    const uid = followed.get(nameOf(object))?.uid ?? object.metadata.uid ?? "";
    stop(cluster, () => forget(options, cluster, uid));
  };
  const appeared = (object: KubeObject, change: Change) => {
    const cluster = objectKeyOf(object);
    const { uid = "", deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) deleting.add(nameOf(object));
    const known = followed.get(nameOf(object));
    if (known?.uid === uid) {
      if (!mayHelp(change)) return;
      known.connection.retryNow();
      void secrets.ask(cluster).catch(() => undefined);
      return;
    }
    if (known !== undefined) disappeared(object);
    // The end of its predecessor must not remove the Nodes of a Cluster of the same name.
    endings.start(nameOf(object), () => (signal.aborted ? undefined : start(cluster, uid)));
  };

  const refill = startRefill(options, followed);
  const lossLooks = createLossLooks(followed, clock);
  return {
    clusterChanged(change) {
      if (!isCluster(change) || signal.aborted) return;
      const { after, before } = change;
      if (before !== undefined && after === undefined) disappeared(before);
      if (after !== undefined && filter.isConcerned(after)) appeared(after, change);
      else if (after !== undefined && followed.has(nameOf(after))) disappeared(after);
    },
    forget: disappeared,
    release: (cluster) => stop(cluster, () => options.delivery.leave(nodesOf(cluster))),
    of(cluster, functionName, sending) {
      const known = followed.get(cluster);
      if (known === undefined) throw new WaitingError(`Connection ${cluster}`);
      return known.connection.client(functionName, sending);
    },
    secretLoops: () => secrets.loops(),
    relistSecrets: () => secrets.relist(),
    status: () => [...followed.values()].map(({ connection }) => connection.status()),
    relistLost: () => lossLooks(refill.look()),
    async [Symbol.asyncDispose]() {
      await secrets[Symbol.asyncDispose]();
      await Promise.all([...followed.values()].map(({ connection }) => connection[Symbol.asyncDispose]()));
      await endings.settled();
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
