import { type KubeObject, MANAGEMENT, objectKeyOf } from "../../../shared/api/kinds.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import type { QueueEntry } from "../../../shared/runtime/queue-port.ts";
import { untilAccepted } from "../retry.ts";
import { removalVersion } from "../snapshot.ts";
import { type AnnouncerOptions, createAnnouncer, type Urgency } from "./announcer.ts";
import { type CompleteList, createReplace } from "./complete-list.ts";
import { createHandedOn, typeText } from "./handed-on.ts";

/**
 * From a snapshot to the read model, the queue and the resume version, in this order (KR-14): a crash between any two
 * repeats work and loses none. Every call waits until store and queue have it.
 */
export interface Delivery {
  /**
   * The version from which a relay of this scope goes on; undefined when a list is needed first. What an earlier relay
   * stored and did not tell is told, the first time: the version stays behind until the server answers, and a server that
   * is away is tried every 30 s.
   */
  resume(type: TypeKey, scope: string | undefined): Promise<string | undefined>;
  /** Stores a snapshot if it is news and wakes whom the difference concerns. */
  put(type: TypeKey, snapshot: KubeObject, urgency: Urgency): Promise<void>;
  /**
   * Forgets an object that was deleted at the version it carries. Unknown objects are nobody's news, unless the store
   * has lost what it knew.
   */
  remove(type: TypeKey, deleted: KubeObject): Promise<void>;
  /**
   * A complete list: the difference to what is stored is delivered, then the type is ready (KR-13, KR-17). True when
   * the server was restored or replaced since the list before: a resync must follow (KR-12).
   */
  replace(type: TypeKey, snapshots: readonly KubeObject[], list: CompleteList): Promise<boolean>;
  /** A bookmark: everything up to this version has been handed on. */
  reached(type: TypeKey, resourceVersion: string): Promise<void>;
  /** Whether the store no longer has what it was given, or not all of it. Rejects while it is away. */
  hasLost(type: TypeKey): Promise<boolean>;
  /** Forgets a type with all its snapshots; nobody is woken. */
  drop(type: TypeKey): Promise<void>;
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /**
   * From now on every change wakes functions. Gives the types whose changes were only stored so far, because they were
   * being listed for the first time: a resync of who looks at them must follow.
   */
  open(): readonly TypeKey[];
  /** Writes resume versions that lag behind. */
  flush(): Promise<void>;
}

export type DeliveryOptions = AnnouncerOptions;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { store } = options;
  const persist = <T>(work: () => Promise<T>) => untilAccepted(work, options);
  const announcer = createAnnouncer(options);
  const { announce, hush } = announcer;
  const handedOn = createHandedOn(options);
  /** Of these types everything that is stored has been told: by this relay, or by its first `resume`. */
  const resumed = new Set<string>();

  const put = async (type: TypeKey, snapshot: KubeObject, urgency: Urgency) => {
    const { stored, before } = await persist(() => store.put(type, snapshot));
    if (stored) await announce(type, { before, after: snapshot }, urgency);
  };
  const remove = async (type: TypeKey, deleted: KubeObject, resourceVersion: string) => {
    const { uid = "" } = deleted.metadata;
    const before = await persist(() => store.remove(type, objectKeyOf(deleted), { uid, resourceVersion }));
    if (before !== undefined) await announce(type, { before }, "live");
    return before !== undefined;
  };
  /** Whether the store no longer knows what it must have known: a watch begins after a complete list only. */
  const isForgotten = async (type: TypeKey, object: KubeObject) => {
    const { ready } = await persist(() => store.progress(type));
    return !ready && (await persist(() => store.get(type, objectKeyOf(object)))) === undefined;
  };

  return {
    enqueue: announcer.enqueue,
    open: announcer.open,
    flush: () => handedOn.flush(),
    replace: createReplace({ store, announce, handedOn, persist, put, remove }),
    async resume(type, scope) {
      const progress = await persist(() => store.progress(type));
      if (!progress.ready || scope === undefined || progress.scope !== scope) {
        // Nodes of a Cluster may come at any time, and no resync follows.
        if (type.cluster === MANAGEMENT) hush(type);
        // What an earlier relay left is no proof of absence until the list is complete (KR-22).
        await persist(() => store.advance(type, { ready: false }));
        return undefined;
      }
      const place = { kind: { group: type.group, kind: type.kind }, cluster: type.cluster };
      const stored = await persist(() => store.list(type, {}));
      for (const after of stored) options.onChange({ ...place, after });
      const text = typeText(type);
      if (!resumed.has(text))
        for (const change of await persist(() => store.untold(type))) await announce(type, change, "live");
      resumed.add(text);
      return progress.resourceVersion;
    },
    async put(type, snapshot, urgency) {
      await put(type, snapshot, urgency);
      await handedOn.note(type, snapshot.metadata.resourceVersion ?? "");
    },
    async remove(type, deleted) {
      const version = removalVersion(type.kind, deleted.metadata.resourceVersion ?? "");
      const isKnown = await remove(type, deleted, version);
      if (!isKnown && (await isForgotten(type, deleted))) await announce(type, { before: deleted }, "live");
      // At once: whoever waits for the object to be gone has only the version to go by.
      await handedOn.advance(type, { resourceVersion: version });
    },
    reached: (type, resourceVersion) =>
      handedOn.advance(type, { resourceVersion: removalVersion(type.kind, resourceVersion) }),
    async hasLost(type) {
      const { ready, resourceVersion } = await store.progress(type);
      return !ready || handedOn.isAhead(type, resourceVersion);
    },
    async drop(type) {
      handedOn.forget(type);
      resumed.delete(typeText(type));
      await persist(() => store.drop(type));
    },
  };
}
