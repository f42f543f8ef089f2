import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT, objectKeyOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Clock, Log, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import type { Priority, Queue, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import { isKind } from "../../../shared/runtime/read/live-reader.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { untilAccepted } from "../retry.ts";
import { removalVersion } from "../snapshot.ts";
import { createHandedOn, type HandedOn, typeText } from "./handed-on.ts";
import { createNotify, type Notify } from "./notify.ts";
import { isOtherServer, nameOf } from "./other-server.ts";
import type { TraceEvent } from "./trace-event.ts";
import { EVERYTHING, type WatchFilter } from "./watch-filter.ts";

export type Difference = Pick<Change, "before" | "after">;

export interface DeliveryOptions {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Pick<Queue, "enqueue" | "epoch">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The filter; default: every object is reconciled. */
  readonly filter?: WatchFilter | undefined;
  /** Called with every stored change before functions are notified; must not wait for a delivery. */
  readonly onChange: (change: Change) => void;
  /** Traces an event; absent where nothing is traced. */
  readonly traceEvent?: TraceEvent | undefined;
}

interface CompleteList {
  readonly resourceVersion: string;
  /** The newest version; default: that version. */
  readonly upTo?: string | undefined;
  /** Objects of a type that was lost, in later versions, are news: they come before the resync. Absent: none are. */
  readonly since?: string | undefined;
  readonly priority: Priority;
  /** A relay resumes only with the same scope (scope.ts); absent = no relay resumes from this list. */
  readonly scope?: string | undefined;
  /** The server is known to have been restored or replaced, whatever is stored. */
  readonly restored?: boolean | undefined;
  /** Awaited before functions are notified, when the server was restored or replaced since the list before (KR-12). */
  readonly ifRestored?: (() => Promise<void>) | undefined;
}

/**
 * Stores the events and lists of watches, then notifies the functions that the difference concerns, then notes the
 * resume version, in this order (KR-14): a crash between any two repeats work and loses none. Every call waits until
 * read model and queue have accepted it.
 */
export interface Delivery {
  /**
   * Returns the version from which a relay of this scope resumes; undefined when a list is needed first. The first call
   * also notifies of what an earlier relay stored without notifying: the version stays behind until the server answers,
   * and a server that is away is tried every 30 s.
   */
  resume(type: TypeKey, scope: string | undefined): Promise<string | undefined>;
  /**
   * Stores snapshots in one step, each if it is news, then notifies of all of them. Up to `upTo` everything has been
   * handed on; default: the version of the last one.
   */
  put(type: TypeKey, snapshots: readonly KubeObject[], priority: Priority, upTo?: string): Promise<void>;
  /**
   * Forgets an object that was deleted at the version it carries, then notifies. An unknown object is news only when
   * the store has lost what it knew.
   */
  remove(type: TypeKey, deleted: KubeObject, upTo?: string): Promise<void>;
  /**
   * Delivers the difference between a complete list and what is stored; then the type is ready (KR-13, KR-17). Where
   * what is stored is damaged or of another server, stores everything again: its versions no longer mean anything,
   * but functions were notified of it. Returns true when the server was restored or replaced since the list before: a
   * resync must follow (KR-12).
   */
  replace(type: TypeKey, snapshots: readonly KubeObject[], list: CompleteList): Promise<boolean>;
  /** A bookmark: everything up to this version has been handed on. */
  reached(type: TypeKey, resourceVersion: string): Promise<void>;
  /** Says whether the store no longer has all that it was given. Rejects while the store is away. */
  hasLost(type: TypeKey): Promise<boolean>;
  /** Forgets a type with all its snapshots, without notifying. */
  drop(type: TypeKey): Promise<void>;
  /** Leaves a type to another relay, with all that is stored of it. */
  leave(type: TypeKey): void;
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** Stores the changes of a type without notifying until the next `open`: it is listed again, as its data are lost. */
  close(type: TypeKey): void;
  /**
   * Notifies functions of every change from now on, and first of those that watches have shown meanwhile. Returns the types
   * whose changes were only stored so far, because they were closed or being listed for the first time: a resync of the
   * functions that watch them must follow.
   */
  open(): Promise<readonly TypeKey[]>;
  /** Writes resume versions that lag behind. */
  flush(): Promise<void>;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  return new StoreThenNotify(options);
}

/** Objects of a list in one call: the store holds up its other clients meanwhile. */
const STORED_AT_ONCE = 50;

class StoreThenNotify implements Delivery {
  readonly #options: DeliveryOptions;
  readonly #store: Store;
  readonly #handedOn: HandedOn;
  readonly #notifyFunctions: Notify;
  /** Functions were notified of everything that is stored of these types: by this relay, or by its first `resume`. */
  readonly #resumed = new Set<string>();
  /** Changes of these types notify no function yet: what is stored of them is not complete, and a resync follows. */
  readonly #quiet = new Map<string, TypeKey>();
  /** Those changes of these types that come before the rest of the resync, by object. */
  readonly #held = new Map<string, Change>();
  #isOpen = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#handedOn = createHandedOn(options);
    this.#notifyFunctions = createNotify({ ...options, filter: options.filter ?? EVERYTHING });
  }

  async resume(type: TypeKey, scope: string | undefined): Promise<string | undefined> {
    const text = typeText(type);
    const progress = await this.#accepted(() => this.#store.progress(type));
    if (!progress.ready || scope === undefined || progress.scope !== scope) {
      // Nodes of a Cluster may come at any time, and no resync follows.
      if (type.cluster === MANAGEMENT && !this.#isOpen) this.close(type);
      // Snapshots of an earlier relay do not prove absence until the list is complete (KR-22).
      await this.#accepted(() => this.#store.advance(type, { ready: false }));
      return undefined;
    }
    const stored = await this.#accepted(() => this.#store.list(type, {}));
    for (const after of stored) this.#options.onChange({ ...placeOf(type), after });
    if (!this.#resumed.has(text)) {
      const unreported = await this.#accepted(() => this.#store.unreported(type));
      for (const change of unreported) await this.#notify(type, [change], "live");
    }
    this.#resumed.add(text);
    return progress.resourceVersion;
  }

  async put(
    type: TypeKey,
    snapshots: readonly KubeObject[],
    priority: Priority,
    upTo?: string,
  ): Promise<void> {
    await this.#put(type, snapshots, priority);
    await this.#handedOn.note(
      type,
      upTo ?? snapshots.at(-1)?.metadata.resourceVersion ?? "",
      snapshots.length,
    );
  }

  async remove(type: TypeKey, deleted: KubeObject, upTo?: string): Promise<void> {
    const version = removalVersion(type.kind, deleted.metadata.resourceVersion ?? "");
    const isKnown = await this.#remove(type, deleted, version);
    if (!isKnown && (await this.#isForgotten(type, deleted)))
      await this.#notify(type, [{ before: deleted }], "live");
    // This happens at once: a run that waits for the object to be gone has only the version to go by.
    await this.#handedOn.advance(type, { resourceVersion: upTo ?? version });
  }

  async replace(type: TypeKey, snapshots: readonly KubeObject[], list: CompleteList): Promise<boolean> {
    const { resourceVersion, priority, scope, restored = false, ifRestored } = list;
    const reached = removalVersion(type.kind, resourceVersion);
    const stored = await this.#accepted(() => this.#store.list(type, {}));
    const progress = await this.#accepted(() => this.#store.progress(type));
    const isOther =
      restored || (progress.ready && isOtherServer({ stored, progress }, { snapshots, reached, scope }));
    if (isOther) await ifRestored?.();
    const isVoid = !progress.ready || isOther;
    if (isVoid) await this.#storeAnew(type, stored, { snapshots, since: list.since });
    else await inParts(snapshots, (part) => this.#put(type, part, priority));
    const listed = new Set(snapshots.map(nameOf));
    for (const object of stored) {
      if (listed.has(nameOf(object))) continue;
      if (isVoid) await this.#notify(type, [{ before: object }], "live");
      else await this.#remove(type, object, reached);
    }
    const progressed = { ready: true, resourceVersion: list.upTo ?? reached };
    await this.#handedOn.advance(type, scope === undefined ? progressed : { ...progressed, scope });
    return isOther;
  }

  async reached(type: TypeKey, resourceVersion: string): Promise<void> {
    await this.#handedOn.advance(type, { resourceVersion: removalVersion(type.kind, resourceVersion) });
  }

  async hasLost(type: TypeKey): Promise<boolean> {
    const { ready, resourceVersion } = await this.#store.progress(type);
    return !ready || this.#handedOn.isAhead(type, resourceVersion);
  }

  leave(type: TypeKey): void {
    this.#handedOn.forget(type);
    this.#resumed.delete(typeText(type));
  }

  async drop(type: TypeKey): Promise<void> {
    this.leave(type);
    await this.#accepted(() => this.#store.drop(type));
  }

  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void> {
    return this.#accepted(() => this.#options.queue.enqueue(functionName, entries));
  }

  close(type: TypeKey): void {
    this.#isOpen = false;
    this.#quiet.set(typeText(type), type);
  }

  async open(): Promise<readonly TypeKey[]> {
    this.#isOpen = true;
    const [types, changes] = [[...this.#quiet.values()], [...this.#held.values()]];
    this.#quiet.clear();
    this.#held.clear();
    await this.#notifyFunctions(changes, "live");
    return types;
  }

  flush(): Promise<void> {
    return this.#handedOn.flush();
  }

  async #put(type: TypeKey, snapshots: readonly KubeObject[], priority: Priority): Promise<void> {
    const puts = await this.#accepted(() => this.#store.put(type, snapshots));
    const news = snapshots.flatMap((after, at): readonly Difference[] => {
      const put = puts[at];
      return put?.stored === true ? [{ before: put.before, after }] : [];
    });
    await this.#notify(type, news, priority);
  }

  async #remove(type: TypeKey, deleted: KubeObject, resourceVersion: string): Promise<boolean> {
    const { uid = "" } = deleted.metadata;
    const before = await this.#accepted(() =>
      this.#store.remove(type, objectKeyOf(deleted), { uid, resourceVersion }),
    );
    if (before !== undefined) await this.#notify(type, [{ before }], "live");
    return before !== undefined;
  }

  async #storeAnew(
    type: TypeKey,
    stored: readonly KubeObject[],
    { snapshots, since }: { readonly snapshots: readonly KubeObject[]; readonly since: string | undefined },
  ) {
    const isNews = ({ after }: Difference) =>
      since !== undefined && !isAtLeast(since, after?.metadata.resourceVersion ?? "");
    const before = new Map(stored.map((object) => [nameOf(object), object]));
    do {
      await this.#accepted(() => this.#store.drop(type));
      // A store that goes back from here on does not know that a list has begun, and does not accept its end.
      await this.#accepted(() => this.#store.advance(type, { ready: false }));
    } while ((await this.#accepted(() => this.#store.list(type, {}))).length > 0);
    this.#handedOn.forget(type);
    await inParts(snapshots, async (part) => {
      await this.#accepted(() => this.#store.put(type, part));
      const differences = part.map((after) => ({ before: before.get(nameOf(after)), after }));
      await this.#notify(type, differences.filter(isNews), "live");
      await this.#notify(
        type,
        differences.filter((each) => !isNews(each)),
        "resync",
      );
    });
  }

  /** Says whether the store has lost what it must have known: a watch begins after a complete list only. */
  async #isForgotten(type: TypeKey, object: KubeObject): Promise<boolean> {
    const { ready } = await this.#accepted(() => this.#store.progress(type));
    return !ready && (await this.#accepted(() => this.#store.get(type, objectKeyOf(object)))) === undefined;
  }

  async #notify(type: TypeKey, differences: readonly Difference[], priority: Priority): Promise<void> {
    const changes = differences.flatMap(separate).map((one) => ({ ...placeOf(type), ...one }));
    for (const change of changes) this.#options.onChange(change);
    if (!this.#quiet.has(typeText(type))) return this.#notifyFunctions(changes, priority);
    // A definition concerns every object of its kind: the resync has them all.
    if (priority !== "live" || isKind(CustomResourceDefinition as Kind, type)) return;
    for (const change of changes) this.#hold(type, change);
  }

  /** Keeps one change of each object, from what it was to what it is: none of them takes more room than its store. */
  #hold(type: TypeKey, { after, ...change }: Change): void {
    const { name = "", namespace = "", uid = "" } = (after ?? change.before)?.metadata ?? {};
    const id = [typeText(type), namespace, name, uid].join(" ");
    this.#held.set(id, { ...(this.#held.get(id) ?? change), after });
  }

  #accepted<T>(work: () => Promise<T>): Promise<T> {
    return untilAccepted(work, this.#options);
  }
}

function placeOf({ cluster, group, kind }: TypeKey): Pick<Change, "kind" | "cluster"> {
  return { kind: { group, kind }, cluster };
}

/** Returns a recreated object as two changes: the deletion of the old one and the addition of the new one (KR-13). */
export function separate({ before, after }: Difference): readonly Difference[] {
  const recreated = before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
  return recreated ? [{ before }, { after }] : [{ before, after }];
}

async function inParts(
  snapshots: readonly KubeObject[],
  deliver: (part: readonly KubeObject[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < snapshots.length; at += STORED_AT_ONCE)
    await deliver(snapshots.slice(at, at + STORED_AT_ONCE));
}
