import type { Clock } from "../../../../shared/runtime/ports.ts";
import { systemClock } from "../../../platform/clock.ts";
import { tooLarge } from "../errors/status-error.ts";
import { type KubeObject, keyOf, withMetadata } from "../objects/kube-object.ts";
import { type Change, type ChangeType, Collection } from "./collection.ts";

/** Where an object lies: its resource type (`group/plural`) and its key. */
export interface Location {
  readonly type: string;
  readonly key: string;
}

export type ChangeListener = (type: string, change: Change) => void;

/** Keeps changes outside of this process. Throws when it cannot; then nothing is stored. */
export interface ChangeRecorder {
  record(type: string, change: Change): void;
}

const FIRST_VERSION = 1;
const OBJECT_MAX_BYTES = 1.5 * 1024 * 1024;
const HISTORY_MAX_BYTES = 64 * 1024 * 1024;

/**
 * All objects of one virtual server and the counter that orders their changes. Everything is synchronous: what a
 * request reads is what it replaces, so there are no lost updates to detect.
 */
export class Storage {
  readonly #collections = new Map<string, Collection>();
  readonly #byUid = new Map<string, Location>();
  readonly #listeners: ChangeListener[] = [];
  /** History begins here; 0 in a storage that has seen every change since the first. */
  readonly #startsAt: number;
  #version: number;
  #recorder: ChangeRecorder | undefined;

  readonly #clock: Clock;

  /** `version` is that of the objects which are restored into it. */
  constructor(version?: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#startsAt = version ?? 0;
    this.#version = version ?? FIRST_VERSION;
  }

  /** The version of the newest change of any type. */
  get version(): number {
    return this.#version;
  }

  /** The collection of a resource type; empty and new when nothing was stored yet. */
  collection(type: string): Collection {
    let collection = this.#collections.get(type);
    if (!collection) {
      collection = new Collection(this.#startsAt);
      this.#collections.set(type, collection);
    }
    return collection;
  }

  /** Resource types of which something was stored, with their collections. */
  get collections(): Iterable<readonly [type: string, collection: Collection]> {
    return this.#collections;
  }

  /** Records every change from now on before it is stored. */
  recordIn(recorder: ChangeRecorder | undefined): void {
    this.#recorder = recorder;
  }

  /** Puts an object in its place as it is, without a change. */
  restore(type: string, object: KubeObject): void {
    const key = keyOf(object.metadata);
    this.collection(type).restore(key, object);
    this.#byUid.set(object.metadata.uid, { type, key });
  }

  /** Carries out a change that was recorded, with its own version. */
  replay(type: string, change: Change): void {
    const { uid } = change.object.metadata;
    if (change.type === "DELETED") this.#byUid.delete(uid);
    else this.#byUid.set(uid, { type, key: change.key });
    this.#version = change.version;
    this.collection(type).commit(change);
  }

  /** Returns another storage with everything as it was at `version`; undefined when that version is forgotten. */
  asOf(version: number): Storage | undefined {
    const past = new Storage(version, this.#clock);
    for (const [type, collection] of this.#collections) {
      const objects = collection.at(version);
      if (!objects) return undefined;
      for (const object of objects.values()) past.restore(type, object);
    }
    return past;
  }

  /** Notifies the listeners of every object, as if it had just been added. */
  announce(): void {
    for (const [type, collection] of this.#collections) {
      for (const object of [...collection.values()]) {
        const key = keyOf(object.metadata);
        const version = Number(object.metadata.resourceVersion);
        const change = { type: "ADDED", version, key, object, previous: undefined } as const;
        this.#notify(type, { ...change, text: "", atMs: 0, lines: new Map() });
      }
    }
  }

  /** Called after every stored change, in order, before the writer is answered. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  locate(uid: string): Location | undefined {
    return this.#byUid.get(uid);
  }

  /**
   * Stores a new object or a new content and gives it the next version; `beforeReported` sees the stored object before
   * every listener. Throws StatusError 500 when the encoded object is larger than 1.5 MiB.
   */
  put(type: string, object: KubeObject, beforeReported?: (stored: KubeObject) => void): Change {
    const key = keyOf(object.metadata);
    const previous = this.collection(type).find(key);
    const change = this.#change(previous ? "MODIFIED" : "ADDED", object, previous);
    if (Buffer.byteLength(change.text) > OBJECT_MAX_BYTES) {
      throw tooLarge();
    }
    this.#recorder?.record(type, change);
    this.#byUid.set(object.metadata.uid, { type, key });
    beforeReported?.(change.object);
    this.#commit(type, change);
    return change;
  }

  /** Removes an object; `last` is the content that watches see. */
  remove(type: string, last: KubeObject): Change {
    const change = this.#change("DELETED", last, this.collection(type).find(keyOf(last.metadata)));
    this.#recorder?.record(type, change);
    this.#byUid.delete(last.metadata.uid);
    this.#commit(type, change);
    return change;
  }

  /** Forgets the history of all types, so that older versions are answered with 410. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.#version);
  }

  #change(type: ChangeType, content: KubeObject, previous: KubeObject | undefined): Change {
    const version = this.#version + 1;
    const object = withMetadata(content, { resourceVersion: String(version) });
    const text = JSON.stringify(object);
    const key = keyOf(object.metadata);
    return {
      type,
      version,
      key,
      object,
      previous,
      text,
      atMs: this.#clock.now().getTime(),
      lines: new Map(),
    };
  }

  #commit(type: string, change: Change): void {
    this.#version = change.version;
    this.collection(type).commit(change);
    this.#limitHistory();
    this.#notify(type, change);
  }

  #notify(type: string, change: Change): void {
    for (const listener of this.#listeners) listener(type, change);
  }

  #limitHistory(): void {
    let bytes = 0;
    for (const collection of this.#collections.values()) bytes += collection.historyBytes;
    while (bytes > HISTORY_MAX_BYTES) {
      let oldest: Collection | undefined;
      for (const collection of this.#collections.values()) {
        if (!oldest || collection.oldestChangeAtMs < oldest.oldestChangeAtMs) oldest = collection;
      }
      if (!oldest) return;
      bytes -= oldest.historyBytes;
      oldest.dropOldest();
      bytes += oldest.historyBytes;
    }
  }
}
