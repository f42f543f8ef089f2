import { type Kind, type KubeObject, MANAGEMENT, objectKeyOf } from "../../shared/api/kinds.ts";
import type { AnyFunction, Lookup } from "../../shared/runtime/define-function.ts";
import type { Clock, Log, Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { Cause, Queue, QueueEntry } from "../../shared/runtime/queue-port.ts";
import { isAtLeast } from "../../shared/runtime/resource-version.ts";
import { type Change, routeChange } from "../../shared/runtime/route.ts";
import { untilAccepted } from "./retry.ts";
import { removalVersion } from "./snapshot.ts";

/** From a snapshot to the read model and the queue, in the order of KR-14. Every call waits until both have it. */
export interface Delivery {
  /** Stores a snapshot if it is news and wakes whom the difference concerns. */
  put(type: TypeKey, snapshot: KubeObject, urgency: Urgency): Promise<void>;
  /**
   * Forgets an object that was deleted at the version it carries. Unknown objects are nobody's news, unless the store
   * has lost what it knew.
   */
  remove(type: TypeKey, deleted: KubeObject): Promise<void>;
  /** A complete list: the difference to what is stored is delivered, then the type is ready (KR-13, KR-17). */
  replace(type: TypeKey, snapshots: readonly KubeObject[], list: CompleteList): Promise<void>;
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** From now on changes wake functions; before, everything is only stored and a resync must follow. */
  open(): void;
}

type Urgency = QueueEntry["class"];

interface CompleteList {
  readonly resourceVersion: string;
  readonly urgency: Urgency;
}

export interface DeliveryOptions {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told of every stored change before functions are woken; must not wait for a delivery. */
  readonly onChange: (change: Change) => void;
}

const PARALLEL_PUTS = 50;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { store } = options;
  const persist = <T>(work: () => Promise<T>) => untilAccepted(work, options);
  const { announce, enqueue, open } = createAnnouncer(options);

  const put: Delivery["put"] = async (type, snapshot, urgency) => {
    const { stored, before } = await persist(() => store.put(type, snapshot));
    if (stored) await announce(type, { before, after: snapshot }, urgency);
  };
  const remove = async (type: TypeKey, deleted: KubeObject, atVersion: string) => {
    const { uid = "" } = deleted.metadata;
    const resourceVersion = removalVersion(type.kind, atVersion);
    const before = await persist(() => store.remove(type, objectKeyOf(deleted), { uid, resourceVersion }));
    if (before !== undefined) await announce(type, { before }, "live");
    return before !== undefined;
  };
  /** Whether the store no longer knows what it must have known: a watch begins after a complete list only. */
  const isLost = async (type: TypeKey, object: KubeObject) => {
    const { ready } = await persist(() => store.progress(type));
    return !ready && (await persist(() => store.get(type, objectKeyOf(object)))) === undefined;
  };
  const startOver = async (
    type: TypeKey,
    stored: readonly KubeObject[],
    snapshots: readonly KubeObject[],
  ) => {
    const before = new Map(stored.map((object) => [nameOf(object), object]));
    await persist(() => store.drop(type));
    for (const after of snapshots) {
      await persist(() => store.put(type, after));
      await announce(type, { before: before.get(nameOf(after)), after }, "resync");
    }
  };

  return {
    put,
    enqueue,
    open,
    async remove(type, deleted) {
      const isKnown = await remove(type, deleted, deleted.metadata.resourceVersion ?? "");
      if (!isKnown && (await isLost(type, deleted))) await announce(type, { before: deleted }, "live");
      await persist(() => store.advance(type, { resourceVersion: deleted.metadata.resourceVersion }));
    },
    async replace(type, snapshots, { resourceVersion, urgency }) {
      const stored = await persist(() => store.list(type, {}));
      const progress = await persist(() => store.progress(type));
      const restored = wentBack(progress.resourceVersion, removalVersion(type.kind, resourceVersion));
      const listed = new Set(snapshots.map(nameOf));
      if (restored) await startOver(type, stored, snapshots);
      for (let at = 0; at < snapshots.length && !restored; at += PARALLEL_PUTS) {
        await Promise.all(snapshots.slice(at, at + PARALLEL_PUTS).map((each) => put(type, each, urgency)));
      }
      for (const object of stored) {
        if (listed.has(nameOf(object))) continue;
        if (restored) await announce(type, { before: object }, "live");
        else await remove(type, object, resourceVersion);
      }
      await persist(() => store.advance(type, { ready: true, resourceVersion }));
    },
  };
}

/** From stored changes to keys. */
function createAnnouncer(options: DeliveryOptions) {
  const { functions, store, queue } = options;
  const settleMs = new Map(functions.map(({ spec }) => [spec.name, spec.queue?.settleMs ?? 0]));
  const lookup: Lookup = {
    find: ({ group, kind }: Kind, index, value) =>
      store.find({ cluster: MANAGEMENT, group, kind }, index, value),
  };
  let opened: boolean = false;

  const enqueue = (functionName: string, entries: readonly QueueEntry[]) =>
    untilAccepted(() => queue.enqueue(functionName, entries), options);
  const announceOne = async (change: Change, urgency: Urgency) => {
    options.onChange(change);
    if (!opened) return;
    const { keys } = await untilAccepted(() => routeChange(functions, change, lookup), options);
    const cause = causeOf(change);
    await Promise.all(
      [...Map.groupBy(keys, ({ functionName }) => functionName)].map(([functionName, routed]) => {
        const delayMs = urgency === "live" ? (settleMs.get(functionName) ?? 0) : 0;
        const entries = routed.map(({ key }) => ({ key, delayMs, class: urgency, cause }));
        return enqueue(functionName, entries);
      }),
    );
  };
  /** An object recreated under its name is two changes: the old one went, the new one came (KR-13). */
  const announce = async (
    type: TypeKey,
    { before, after }: Pick<Change, "before" | "after">,
    urgency: Urgency,
  ) => {
    const place = { kind: { group: type.group, kind: type.kind }, cluster: type.cluster };
    const recreated =
      before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
    const changes = recreated ? [{ before }, { after }] : [{ before, after }];
    for (const change of changes) await announceOne({ ...place, ...change }, urgency);
  };
  const open = () => {
    opened = true;
  };
  return { announce, enqueue, open };
}

/** The server was restored or replaced: stored versions mean nothing any more (KR-12). */
function wentBack(from: string | undefined, to: string): boolean {
  return from !== undefined && isAtLeast(from, to) && from !== to;
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function causeOf({ kind, before, after }: Change): Cause {
  const object = after ?? before;
  const name = object === undefined ? "" : nameOf(object).replace(/^\//, "");
  return { what: `${kind.kind} ${name}`, resourceVersion: object?.metadata.resourceVersion };
}
