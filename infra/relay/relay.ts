import { Connection, Node } from "../../shared/api/core.ts";
import { type Kind, MANAGEMENT } from "../../shared/api/kinds.ts";
import { MINUTE, SECOND } from "../../shared/function/backoff.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";
import { WaitingError } from "../../shared/function/errors.ts";
import type { Clients, SignedType, Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { type Change, isAbout } from "../../shared/runtime/queue/route.ts";
import type { LoopStatus } from "../../shared/runtime/read/loop-status.ts";
import type { Server } from "../platform/kube/client.ts";
import { rest } from "../platform/rest.ts";
import { createDelivery } from "./delivery/delivery.ts";
import type { TraceEvent } from "./delivery/trace-event.ts";
import { createWatchFilter } from "./delivery/watch-filter.ts";
import { type ListNews, startWatchedTypes } from "./management/watched-types.ts";
import { lossOfQueue, type ResyncOptions, resyncDue, resyncNow, resyncPeriodically } from "./resync.ts";
import { untilAccepted } from "./retry.ts";
import { watchForLoss } from "./store-loss.ts";
import { CONNECTION_TYPE } from "./workload/connection-record.ts";
import { type ConnectionStatus, type Connections, startConnections } from "./workload/connections.ts";
import type { WorkloadReach } from "./workload/workload-access.ts";

export interface RelayOptions extends WorkloadReach {
  readonly functions: readonly AnyFunction[];
  /** The management server. */
  readonly server: Server;
  readonly store: Store;
  readonly queue: Pick<Queue, "enqueue" | "epoch">;
  /** Returns a number in [0, 1), for jitter. */
  readonly random?: (() => number) | undefined;
  /** The time between resyncs; default 10 min. */
  readonly resyncPeriodMs?: number | undefined;
  /** How often the relay checks whether store and queue have lost data. Default 5 s. */
  readonly lossCheckMs?: number | undefined;
  /** Called after every complete resync of a function, for metrics. */
  readonly noteResync?: ResyncOptions["noteResync"];
  /** Field managers whose contested fields the functions take over (KR-01). */
  readonly takeOverManagers?: readonly string[] | undefined;
  /** Keep objects of these namespaces only; absent or empty = all. */
  readonly namespaces?: readonly string[] | undefined;
  /** How kubeconfig Secrets are followed; with `watch` those with manifests, too, by their metadata. Default `watch`. */
  readonly kubeconfigSecrets?: "get" | "watch" | undefined;
  /** Traces an event; absent where events are not traced. */
  readonly traceEvent?: TraceEvent | undefined;
  /** Reconcile only objects whose label `cluster.x-k8s.io/watch-filter` has this value; absent = all. */
  readonly watchFilter?: string | undefined;
  /** Connect to workload clusters; false leaves them to other relays (shards/workload-relay.ts). Default true. */
  readonly connectsWorkloads?: boolean | undefined;
}

interface RelayStatus {
  readonly ready: boolean;
  readonly loops: readonly LoopStatus[];
  readonly connections: readonly ConnectionStatus[];
  /** Watches of kubeconfig Secrets; absent without workload clusters. */
  readonly secretLoops?: readonly LoopStatus[] | undefined;
  /** The leader, when several relays share the work of one. */
  readonly election?: { readonly identity: string; readonly leader: string | undefined };
  /** The part of this relay, when several relays share the workload clusters. */
  readonly share?: {
    readonly identity: string;
    /** The Lease that it holds. */
    readonly shard: string | undefined;
    /** The Leases of all relays that share. */
    readonly shards: readonly string[];
  };
}

/** Keeps the read model up to date with every server and turns changes into keys (infra/relay/README.md). */
export interface Relay extends AsyncDisposable {
  readonly clients: Clients;
  /**
   * Resolves when every kind that a function names is completely listed, and every stored object has been enqueued
   * once.
   */
  ready(): Promise<void>;
  status(): RelayStatus;
  /** Types whose watch follows the server, and Connection while workload clusters are followed. */
  followed(): readonly SignedType[];
}

/** How long functions wait for the first lists of provider kinds, and for all lists after a loss: one may be refused. */
const [PROVIDER_LISTS_MS, RELISTS_MS] = [5 * SECOND, MINUTE];

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { functions, server, clock, log } = options;
  const abort = new AbortController();
  const filter = createWatchFilter(options.watchFilter, functions, options.store);
  const shared = { ...options, filter, signal: abort.signal };
  const onChange = (change: Change) => {
    types.noteReferences(change);
    connections?.clusterChanged(change);
  };
  const delivery = createDelivery({ ...shared, onChange });
  const connections = needsWorkloads(options) ? startConnections({ ...shared, delivery }) : undefined;
  let opened = false;
  let wake: () => void = () => undefined;

  const onListed = (kind: Kind, news: ListNews | undefined) => {
    wake();
    if (news === undefined || (news === "first" && !opened)) return;
    // A kind that came late or was lost: functions that read it wait for its list.
    const cause = news === "restored" ? "restored" : "list";
    const concerned = functions.filter((each) => names(each, kind));
    void untilAccepted(() => resyncNow({ ...shared, delivery }, concerned, cause), shared).catch(
      () => undefined,
    );
  };
  const onRestored = () => connections?.relistSecrets();
  const secrets = options.kubeconfigSecrets;
  const types = startWatchedTypes({ ...shared, delivery, secrets, onListed, onRestored });

  const listed = async (which: "static" | "all", signal: AbortSignal) => {
    while (types.pending(which).length > 0 && !signal.aborted) {
      const listing = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([listing, rest(SECOND, clock, signal)]);
    }
  };
  /** Notifies functions once everything is listed: before, a run would only wait for the rest. */
  const open = async (cause: "start" | "loss", withinMs: number) => {
    const late = new AbortController();
    const cancel = clock.after(withinMs, () => late.abort());
    await listed("all", AbortSignal.any([abort.signal, late.signal]));
    cancel();
    const opening = delivery.open();
    opened = true;
    const stored = await opening;
    const isNew = (fn: AnyFunction) => stored.some((type) => concerns(fn, type));
    await untilAccepted(() => resyncDue({ ...shared, delivery }, isNew, cause), shared);
  };
  const hasQueueLost = lossOfQueue(shared);
  const start = async () => {
    await Promise.all([listed("static", abort.signal), hasQueueLost()]);
    await open("start", PROVIDER_LISTS_MS);
    log.info({ functions: functions.length }, "every watch has its first list");
  };
  const recover = async () => {
    connections?.relistLost();
    if (!opened) return;
    const onLost = () => {
      opened = false;
    };
    await types.relistLost(onLost);
    if (await hasQueueLost()) onLost();
    if (opened) return;
    log.warn({}, "the read model or the queue may have lost data; all of it is listed and enqueued again");
    void open("loss", RELISTS_MS).catch(() => undefined);
  };
  const background = [
    start(),
    watchForLoss(recover, shared),
    resyncPeriodically({ ...shared, delivery, periodMs: options.resyncPeriodMs, isOpen: () => opened }),
  ];
  // Aborting rejects every wait; a caller that still awaits `ready` gets the rejection.
  const settled = Promise.allSettled(background);

  return {
    clients: clientsOf(server, connections),
    async ready() {
      await background[0];
    },
    status: () => ({ ready: opened, loops: types.loops(), ...statusOf(connections) }),
    followed: () => [...types.followed(), ...(connections === undefined ? [] : [CONNECTION_TYPE])],
    async [Symbol.asyncDispose]() {
      abort.abort();
      await types[Symbol.asyncDispose]();
      await connections?.[Symbol.asyncDispose]();
      await settled;
      await delivery.flush().catch(() => undefined);
    },
  };
}

function statusOf(connections: Connections | undefined) {
  return { connections: connections?.status() ?? [], secretLoops: connections?.secretLoops() };
}

/** Returns clients of the management server, and of those workload servers that are connected. */
export function clientsOf(server: Server, connections: Connections | undefined): Clients {
  return {
    of(cluster, functionName, sending) {
      if (cluster === MANAGEMENT) return server.as(functionName, sending);
      if (connections === undefined) throw new WaitingError(`Connection ${cluster}`);
      return connections.of(cluster, functionName, sending);
    },
  };
}

/** Returns whether a function reconciles or watches a kind by its name. */
function names({ spec }: AnyFunction, kind: Pick<Kind, "group" | "kind">): boolean {
  const same = (on: Kind) => on.group === kind.group && on.kind === kind.kind;
  return same(spec.reconciles) || spec.watches.some(({ on }) => !isContractKind(on) && same(on));
}

/** Returns whether a change of a type may wake a function. */
function concerns(fn: AnyFunction, type: TypeKey): boolean {
  return names(fn, type) || fn.spec.watches.some((watch) => isAbout(watch, { ...type, kind: type }));
}

/** Returns whether the relay connects to workload clusters: a function watches them, and no other relays do it. */
function needsWorkloads({ functions, connectsWorkloads = true }: RelayOptions): boolean {
  return (
    connectsWorkloads &&
    functions.some((each) => names(each, Node as Kind) || names(each, Connection as Kind))
  );
}
