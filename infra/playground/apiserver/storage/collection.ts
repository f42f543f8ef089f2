import type { KubeObject } from "../objects/kube-object.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One stored change of one object. */
export interface Change {
  readonly type: ChangeType;
  readonly version: number;
  readonly key: string;
  /** The content after the change; for DELETED the last content with the version of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** JSON of `object`, made once and shared by the answer and the watches. */
  readonly text: string;
  readonly atMs: number;
  /** Event lines already made, by representation; shared by all watches that want the same one. */
  readonly lines: Map<string, string>;
}

/** A change in the history, without the parts that can be computed from the object. */
interface PastChange extends Omit<Change, "text" | "lines"> {
  /** Length of the text, for the limit of the history. */
  readonly length: number;
}

/** A listener that gets every change, until the type goes away. */
export interface Watcher {
  notify(change: Change): void;
  end(): void;
}

/** The objects of one page sequence, kept so that all pages show one point in time. */
interface Snapshot {
  readonly objects: readonly KubeObject[];
  readonly keys: readonly string[];
}

const HISTORY_MAX_CHANGES = 1_000;
const HISTORY_MAX_AGE_MS = 5 * 60_000;
const SNAPSHOT_MAX_AGE_MS = 5 * 60_000;

/** The objects of one resource type in key order, the changes that led to them, and who listens. */
export class Collection {
  readonly watchers = new Set<Watcher>();
  readonly #objects = new Map<string, KubeObject>();
  /** Sorted; kept beside the map because lists are ordered and inserts are rarer than reads. */
  readonly #keys: string[] = [];
  #changes: PastChange[] = [];
  #cut = 0;
  #historyBytes = 0;
  /** Version of the newest change that is no longer in the history. */
  #compactedAt: number;
  #changedAt: number;
  readonly #snapshots = new Map<number, Snapshot & { readonly expiresAtMs: number }>();

  constructor(version: number) {
    this.#compactedAt = version;
    this.#changedAt = version;
  }

  get size(): number {
    return this.#objects.size;
  }

  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** Watches can start at this version or a later one. */
  get compactedAt(): number {
    return this.#compactedAt;
  }

  /** Version of the last change. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Time of the oldest change in the history; infinite without one. */
  get oldestChangeAtMs(): number {
    return this.#changes[this.#cut]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  find(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  /** Objects in key order, of one namespace or of all; `after` is the last key already seen. */
  *scan(namespace: string | undefined, after = ""): Generator<KubeObject> {
    for (const key of this.#range(this.#keys, namespace, after)) {
      const object = this.#objects.get(key);
      if (object) yield object;
    }
  }

  /** Objects in the order they were stored first. */
  values(): IterableIterator<KubeObject> {
    return this.#objects.values();
  }

  /** Stores the outcome of a change and notifies the watchers. */
  commit(change: Change): void {
    if (change.type === "DELETED") {
      this.#objects.delete(change.key);
      this.#keys.splice(lowerBound(this.#keys, change.key), 1);
    } else this.restore(change.key, change.object);
    this.#changedAt = change.version;
    this.#changes.push(pastOf(change));
    this.#historyBytes += change.text.length;
    this.#trim(change.atMs);
    for (const watcher of this.watchers) watcher.notify(change);
  }

  /** Puts an object in its place without history, when a storage is filled. */
  restore(key: string, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(lowerBound(this.#keys, key), 0, key);
    this.#objects.set(key, object);
  }

  /** The objects as they were at `version`, by key; undefined when that version is forgotten. */
  at(version: number): ReadonlyMap<string, KubeObject> | undefined {
    const changes = this.#pastSince(version);
    if (!changes) return undefined;
    const objects = new Map(this.#objects);
    for (const { key, previous } of changes.toReversed()) {
      if (previous) objects.set(key, previous);
      else objects.delete(key);
    }
    return objects;
  }

  /** Changes after `version`, oldest first; undefined when some of them are no longer known. */
  since(version: number): readonly Change[] | undefined {
    return this.#pastSince(version)?.map(({ length: _, ...change }) => ({
      ...change,
      text: JSON.stringify(change.object),
      lines: new Map(),
    }));
  }

  #pastSince(version: number): readonly PastChange[] | undefined {
    if (version < this.#compactedAt) return undefined;
    let first = this.#changes.length;
    while (first > this.#cut && (this.#changes[first - 1]?.version ?? 0) > version) first--;
    return this.#changes.slice(first);
  }

  /** Keeps the objects as they were at `version` readable for later pages, whatever happens to the history. */
  keepSnapshot(version: number, nowMs: number): void {
    this.#dropSnapshots(nowMs);
    const snapshot = this.#snapshots.has(version) ? undefined : this.#snapshotAt(version);
    if (snapshot) this.#snapshots.set(version, { ...snapshot, expiresAtMs: nowMs + SNAPSHOT_MAX_AGE_MS });
  }

  #snapshotAt(version: number): Snapshot | undefined {
    const objects = this.at(version);
    if (!objects) return undefined;
    const sorted = [...objects].sort(([left], [right]) => (left < right ? -1 : 1));
    return { keys: sorted.map(([key]) => key), objects: sorted.map(([, object]) => object) };
  }

  /** Objects as they were at `version`, from the key after `after`; undefined when that version is forgotten. */
  scanAt(version: number, namespace: string | undefined, after = ""): Iterable<KubeObject> | undefined {
    if (this.#changedAt <= version) return this.scan(namespace, after);
    const snapshot = this.#snapshots.get(version) ?? this.#snapshotAt(version);
    if (!snapshot) return undefined;
    const { from, to } = bounds(snapshot.keys, namespace, after);
    return snapshot.objects.slice(from, to);
  }

  /** Forgets the oldest change. */
  dropOldest(): void {
    const change = this.#changes[this.#cut];
    if (!change) return;
    this.#cut++;
    this.#compactedAt = change.version;
    this.#historyBytes -= change.length;
    if (this.#cut > HISTORY_MAX_CHANGES) {
      this.#changes = this.#changes.slice(this.#cut);
      this.#cut = 0;
    }
  }

  /** Forgets all changes and all open pages, as compaction in etcd does. */
  compact(version: number): void {
    this.#changes = [];
    this.#cut = 0;
    this.#historyBytes = 0;
    this.#compactedAt = version;
    this.#snapshots.clear();
  }

  /** Ends all watches, because the type is no longer served. */
  endWatches(): void {
    for (const watcher of [...this.watchers]) watcher.end();
  }

  #trim(nowMs: number): void {
    while (
      this.#changes.length - this.#cut > HISTORY_MAX_CHANGES ||
      this.oldestChangeAtMs < nowMs - HISTORY_MAX_AGE_MS
    ) {
      this.dropOldest();
    }
  }

  #dropSnapshots(nowMs: number): void {
    for (const [version, snapshot] of this.#snapshots) {
      if (snapshot.expiresAtMs < nowMs) this.#snapshots.delete(version);
    }
  }

  *#range(keys: readonly string[], namespace: string | undefined, after: string): Generator<string> {
    const { from, to } = bounds(keys, namespace, after);
    yield* keys.slice(from, to);
  }
}

function pastOf({ type, version, key, object, previous, text, atMs }: Change): PastChange {
  return { type, version, key, object, previous, atMs, length: text.length };
}

function bounds(keys: readonly string[], namespace: string | undefined, after: string) {
  // "0" follows "/" in ASCII, so it ends the range of keys that begin with `namespace/`.
  const to = namespace === undefined ? keys.length : lowerBound(keys, `${namespace}0`);
  const start = namespace === undefined ? 0 : lowerBound(keys, `${namespace}/`);
  const from = after === "" ? start : Math.max(start, lowerBound(keys, `${after}\u0000`));
  return { from, to };
}

/** Returns the index of the first key that is not smaller than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
