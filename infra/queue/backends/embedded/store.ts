import type { Member, Selection } from "../../../../shared/api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../../../shared/api/kinds.ts";
import { MANAGEMENT, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { type KindLookup, kindOf as registered } from "../../../../shared/api/registry.ts";
import type {
  NamePart,
  Read,
  SignedType,
  Store,
  Stored,
  TypeKey,
  TypeProgress,
  Unreported,
} from "../../../../shared/runtime/ports.ts";
import { signOf } from "../../../../shared/runtime/read/signs.ts";
import { isAtLeast } from "../../../../shared/runtime/resource-version.ts";
import type { Placement } from "../../store/snapshot.ts";
import { freezeDeep, inOrder, isAsNew, isSelected, placementOf, versionOf } from "../../store/snapshot.ts";

/** Creates the read model of one process. `kindOf` finds the kinds of the core by default. */
export function createMemoryStore({ kindOf = registered }: { readonly kindOf?: KindLookup } = {}): Store {
  /** Cluster → group → kind: a text of the three would be made with every call. */
  const types = new Map<string, Map<string, Map<string, StoredType>>>();
  const typeOf = ({ cluster, group, kind }: TypeKey): StoredType => {
    const known = types.get(cluster)?.get(group)?.get(kind);
    if (known !== undefined) return known;
    const groups = types.get(cluster) ?? new Map<string, Map<string, StoredType>>();
    const kinds = groups.get(group) ?? new Map<string, StoredType>();
    const created = new StoredType();
    types.set(cluster, groups.set(group, kinds.set(kind, created)));
    return created;
  };
  const { forget, ...signs } = memorySigns();
  return {
    get: async (type, key) => typeOf(type).get(key),
    list: async (type, selection) => typeOf(type).list(selection),
    read: async (type, asked) => typeOf(type).read(asked),
    find: async (type, index, value) => typeOf(type).find(index, value),
    named: async (type, part, limit) => typeOf(type).named(part, limit),
    async *each(type) {
      yield* typeOf(type).each();
    },
    put: async (type, objects) =>
      objects.map((object) => typeOf(type).put(object, placementOf(kindOf, type, object))),
    remove: async (type, key, deleted) => typeOf(type).remove(key, deleted),
    progress: async (type) => typeOf(type).progress,
    unreported: async (type) => typeOf(type).unreported(),
    advance: async (type, progress) => typeOf(type).advance(progress),
    drop: async ({ cluster, group, kind }) => {
      const groups = types.get(cluster);
      const kinds = groups?.get(group);
      if (cluster === MANAGEMENT) forget({ group, kind });
      kinds?.delete(kind);
      if (kinds?.size === 0) groups?.delete(group);
      if (groups?.size === 0) types.delete(cluster);
    },
    signs,
    [Symbol.asyncDispose]: async () => types.clear(),
  };
}

/** Who puts objects by hand notes no sign. */
function memorySigns() {
  let seen: Map<string, Date> | undefined;
  return {
    note: async (types: readonly SignedType[], now: Date) => {
      seen = new Map([...(seen ?? []), ...types.map((type) => [signOf(type), now] as const)]);
    },
    read: async () => seen,
    forget: (type: SignedType) => void seen?.delete(signOf(type)),
  };
}

interface Kept {
  readonly object: KubeObject;
  readonly placement: Placement;
}

/** A change that is stored and whose functions may not be notified yet. */
interface Note {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly before: KubeObject | undefined;
}

class StoredType {
  progress: TypeProgress = { ready: false, resourceVersion: undefined, scope: undefined };
  readonly #objects = new Map<string, Kept>();
  /** Index → value → objects. */
  readonly #index = new Map<string, Map<string, Placed>>();
  readonly #notes = new Map<string, Note>();

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(textOf(key.namespace, key.name))?.object;
  }

  list(selection: Selection): readonly KubeObject[] {
    const found = this.#candidates(selection).filter((object) => isSelected(object, selection));
    return inOrder(found, ({ metadata }) => metadata);
  }

  read(asked: ObjectKey | Selection): Read {
    const found = "name" in asked ? this.get(asked) : this.list(asked);
    return { found: found === undefined ? [] : [found].flat(), progress: this.progress };
  }

  named({ namespace, part }: NamePart, limit: number): readonly ObjectKey[] {
    const found: ObjectKey[] = [];
    for (const { object } of this.#objects.values()) {
      const key = objectKeyOf(object);
      const isWanted = key.name.includes(part) && key.namespace === (namespace ?? key.namespace);
      if (isWanted && found.push(key) === limit) break;
    }
    return found;
  }

  *each(): Iterable<KubeObject> {
    for (const { object } of this.#objects.values()) yield object;
  }

  find(index: string, value: string): readonly Member[] {
    const found = placedAt(this.#index.get(index)?.get(value)).map(({ member }) => member);
    return inOrder(found, (member) => member);
  }

  put(object: KubeObject, placement: Placement): Stored {
    const key = objectKeyOf(object);
    const text = textOf(key.namespace, key.name);
    const before = this.#objects.get(text);
    const version = versionOf(object);
    if (before !== undefined && isAsNew(versionOf(before.object), version)) {
      const note = this.#notes.get(text);
      const unreported = note?.uid === version.uid && note.resourceVersion === version.resourceVersion;
      return { stored: unreported, before: unreported ? note.before : before.object };
    }
    const stays = before !== undefined && isSamePlace(before.placement, placement);
    this.#objects.set(text, { object: freezeDeep(object), placement: stays ? before.placement : placement });
    if (!stays) {
      if (before !== undefined) this.#unindex(text, before.placement);
      this.#addToIndex(text, placement);
    }
    this.#notes.set(text, { ...version, before: before?.object });
    return { stored: true, before: before?.object };
  }

  remove(
    key: ObjectKey,
    deleted: { readonly uid: string; readonly resourceVersion: string },
  ): KubeObject | undefined {
    const text = textOf(key.namespace, key.name);
    const stored = this.#objects.get(text);
    if (stored === undefined) {
      const note = this.#notes.get(text);
      return note?.uid === deleted.uid ? note.before : undefined;
    }
    const { uid, resourceVersion } = versionOf(stored.object);
    if (uid !== deleted.uid || !isAtLeast(deleted.resourceVersion, resourceVersion)) return undefined;
    this.#objects.delete(text);
    this.#unindex(text, stored.placement);
    this.#notes.set(text, { ...deleted, before: stored.object });
    return stored.object;
  }

  unreported(): readonly Unreported[] {
    return [...this.#notes].map(([text, { before }]) => ({ before, after: this.#objects.get(text)?.object }));
  }

  /** Notes progress. Versions only grow: a relay that lags behind another one changes nothing. */
  advance({ resourceVersion, ...change }: Partial<TypeProgress>): void {
    const known = this.progress.resourceVersion;
    const newer = resourceVersion !== undefined && !isAtLeast(known, resourceVersion);
    const reached = newer ? resourceVersion : known;
    const progress = { ...this.progress, ...change, resourceVersion: reached };
    this.progress = Object.freeze({ ...progress, refusal: progress.ready ? undefined : progress.refusal });
    if (resourceVersion === undefined) return;
    for (const [text, note] of this.#notes) {
      if (isAtLeast(reached, note.resourceVersion)) this.#notes.delete(text);
    }
  }

  #candidates({ index }: Selection): readonly KubeObject[] {
    if (index === undefined) return [...this.#objects.values()].map(({ object }) => object);
    const byValue = this.#index.get(index.name);
    const found: KubeObject[] = [];
    for (const value of index.values) {
      for (const { text } of placedAt(byValue?.get(value))) {
        const stored = this.#objects.get(text);
        if (stored !== undefined) found.push(stored.object);
      }
    }
    return index.values.length === 1 ? found : [...new Set(found)];
  }

  #addToIndex(text: string, { member, entries }: Placement): void {
    const one = { text, member };
    for (const { name, value } of entries) {
      const byValue = this.#index.get(name) ?? new Map<string, Placed>();
      this.#index.set(name, byValue.set(value, withOne(byValue.get(value), one)));
    }
  }

  #unindex(text: string, { entries }: Placement): void {
    for (const { name, value } of entries) {
      const byValue = this.#index.get(name);
      const placed = byValue?.get(value);
      const isEmpty =
        placed instanceof Map ? placed.delete(text) && placed.size === 0 : placed?.text === text;
      if (isEmpty) byValue?.delete(value);
    }
  }
}

/** An object in an index, by the text of its key. */
interface PlacedOne {
  readonly text: string;
  readonly member: Member;
}

/** The objects of a value. Nearly every value has one, for which a Map would take 200 bytes. */
type Placed = PlacedOne | Map<string, PlacedOne>;

function placedAt(placed: Placed | undefined): readonly PlacedOne[] {
  if (placed === undefined) return [];
  return placed instanceof Map ? [...placed.values()] : [placed];
}

function withOne(placed: Placed | undefined, one: PlacedOne): Placed {
  if (placed instanceof Map) return placed.set(one.text, one);
  if (placed === undefined || placed.text === one.text) return one;
  return new Map([placed, one].map((each) => [each.text, each]));
}

/** Returns true nearly always: the fields that an object is found by rarely change. */
function isSamePlace(a: Placement, b: Placement): boolean {
  return (
    a.member.tenant === b.member.tenant &&
    a.member.deleting === b.member.deleting &&
    a.entries.length === b.entries.length &&
    a.entries.every(({ name, value }, at) => name === b.entries[at]?.name && value === b.entries[at]?.value)
  );
}

/** Joins texts into one; different lists never give the same text. */
function textOf(...parts: readonly string[]): string {
  let text = "";
  for (const part of parts) text += `${part.length}:${part}`;
  return text;
}
