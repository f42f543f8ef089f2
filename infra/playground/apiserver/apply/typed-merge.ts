import { isJsonArray, isJsonObject, type Json, type JsonObject, setMember } from "../objects/json.ts";
import { draftSet, type FieldSet, type FieldSetDraft } from "./field-set.ts";
import {
  fieldTypeOf,
  itemElement,
  type ListType,
  listPart,
  type MapType,
  mapPart,
  shapeOf,
  type Type,
} from "./typed.ts";

/**
 * The paths an object sets: scalars, nulls, atomic nodes, empty structs, and map entries and list members themselves.
 * An empty set or keyed list contributes nothing. Throws Error for list members without identity.
 */
export function setOf(type: Type, value: Json): FieldSet {
  const root = collect(type, value);
  root.member = false;
  return root;
}

function collect(type: Type, value: Json): FieldSetDraft {
  const draft = draftSet();
  const shape = shapeOf(type, value);
  const map = mapPart(type, shape);
  const list = listPart(type, shape);
  if (map !== undefined) collectMap(draft, map, value);
  else if (list !== undefined) collectList(draft, list, value);
  else draft.member = true;
  return draft;
}

function collectMap(draft: FieldSetDraft, map: MapType, value: Json): void {
  if (map.atomic) draft.member = true;
  else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const item = value[name] as Json;
      const child = collect(fieldTypeOf(map, name), item);
      if (isBlank(item) || !map.fields.has(name)) child.member = true;
      if (child.member || child.children.size > 0) draft.children.set(`f:${name}`, child);
    }
  }
}

function isBlank(value: Json): boolean {
  if (value === null) return true;
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function collectList(draft: FieldSetDraft, list: ListType, value: Json): void {
  if (list.relationship === "atomic") draft.member = true;
  else if (isJsonArray(value)) {
    for (const item of value) {
      const element = itemElement(list, item);
      // Of duplicates (stored before the schema forbade them) only the identity is recorded.
      const child = draft.children.has(element) ? draftSet() : collect(list.element, item);
      child.member = true;
      draft.children.set(element, child);
    }
  }
}

/**
 * The set plus every declared field on the way to its members, so that removing a struct's last field removes the
 * struct. Map keys and list members are not added.
 */
export function withStructs(set: FieldSet, type: Type | undefined): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    const declared = name === undefined ? undefined : type?.map?.fields.get(name);
    const below = name === undefined ? type?.list?.element : (declared ?? type?.map?.element);
    const full = withStructs(child, below);
    children.set(element, declared === undefined ? full : { ...full, member: true });
  }
  return { member: set.member, children };
}

type Side = Json | undefined;

/**
 * Lays an applied configuration over the live object: structs and maps per member, keyed lists and sets by identity,
 * everything else from the configuration. Neither input is changed; unchanged parts are shared with `live`.
 */
export function merge(type: Type, live: Side, config: Side): Json | undefined {
  if (config === undefined) return live;
  if (live === undefined && shapeOf(type, config) === "scalar") return config;
  const shape = shapeOf(type, config);
  if (shape === "list" && type.list !== undefined) return mergeLists(type.list, live, config);
  if (shape !== "scalar" && type.map !== undefined) return mergeMaps(type.map, live, config);
  return config;
}

function mergeMaps(map: MapType, live: Side, config: Json): Json | undefined {
  const old = isJsonObject(live) ? live : {};
  const wanted = isJsonObject(config) ? config : {};
  const isLeaf = map.atomic || (Object.keys(old).length === 0 && Object.keys(wanted).length === 0);
  if (isLeaf) return config;
  const merged: Record<string, Json> = {};
  for (const name of Object.keys(old)) {
    const side = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    put(merged, name, merge(fieldTypeOf(map, name), old[name], side));
  }
  for (const name of Object.keys(wanted)) {
    if (!Object.hasOwn(old, name)) put(merged, name, merge(fieldTypeOf(map, name), undefined, wanted[name]));
  }
  return merged;
}

function put(target: Record<string, Json>, name: string, value: Side): void {
  if (value !== undefined) setMember(target, name, value);
}

function mergeLists(list: ListType, live: Side, config: Json): Json | undefined {
  const old = isJsonArray(live) ? live : [];
  const wanted = isJsonArray(config) ? config : [];
  if (list.relationship === "atomic" || (old.length === 0 && wanted.length === 0)) return config;
  return new ListMerge(list, old, wanted).run();
}

/**
 * The order of a merged list. One cursor walks each side; `shared` lists the configuration's members that exist on
 * both sides, and `sharedAt` is at the next one that may be written:
 *   same member under both cursors         → written merged, both advance
 *   live's member is wanted, but later     → skipped in live
 *   live's member is not in the config     → written, live advances
 *   otherwise the config's member          → written merged with its counterpart, config advances
 * So L x y, C z y → x z y; L x y z, C z n x → y z n x; L b c, C c b → c b.
 */
class ListMerge {
  readonly #list: ListType;
  readonly #old: readonly Json[];
  readonly #oldElements: readonly string[];
  readonly #newElements: readonly string[];
  /** A duplicated live member has no counterpart. */
  readonly #oldByElement = new Map<string, Side>();
  readonly #newByElement = new Map<string, Json>();
  readonly #shared: readonly string[];
  #sharedAt = 0;
  readonly #written = new Set<string>();
  readonly #merged: Json[] = [];

  constructor(list: ListType, old: readonly Json[], wanted: readonly Json[]) {
    this.#list = list;
    this.#old = old;
    this.#oldElements = old.map((item) => itemElement(list, item));
    this.#newElements = wanted.map((item) => itemElement(list, item));
    for (const [index, element] of this.#oldElements.entries()) {
      this.#oldByElement.set(element, this.#oldByElement.has(element) ? undefined : old[index]);
    }
    for (const [index, element] of this.#newElements.entries()) {
      this.#newByElement.set(element, wanted[index] as Json);
    }
    this.#shared = this.#newElements.filter((element) => this.#oldByElement.has(element));
  }

  run(): Json {
    let oldAt = 0;
    let newAt = 0;
    while (oldAt < this.#oldElements.length || newAt < this.#newElements.length) {
      const old = this.#oldElements[oldAt];
      const wanted = this.#newElements[newAt];
      if (old !== undefined && old === wanted) {
        this.#write(wanted);
        oldAt += 1;
        newAt += 1;
      } else if (old !== undefined && this.#skips(old, wanted)) oldAt += 1;
      else if (old !== undefined && !this.#newByElement.has(old)) {
        this.#keep(oldAt);
        oldAt += 1;
      } else if (wanted !== undefined) {
        this.#write(wanted);
        newAt += 1;
      } else oldAt += 1;
    }
    return this.#merged;
  }

  #skips(old: string, wanted: string | undefined): boolean {
    if (!this.#newByElement.has(old)) return false;
    if (this.#written.has(old)) return true;
    const next = this.#shared[this.#sharedAt];
    return wanted !== undefined && next !== undefined && next !== old;
  }

  #keep(index: number): void {
    const merged = merge(this.#list.element, this.#old[index], undefined);
    if (merged !== undefined) this.#merged.push(merged);
  }

  #write(element: string): void {
    const merged = merge(
      this.#list.element,
      this.#oldByElement.get(element),
      this.#newByElement.get(element) as Json,
    );
    if (merged !== undefined) this.#merged.push(merged);
    this.#written.add(element);
    if (this.#shared[this.#sharedAt] === element) this.#sharedAt += 1;
  }
}

/**
 * The value without the given paths; a path takes everything below it along. A struct, map or list that loses its
 * last member without being removed itself becomes null, as on the real server, whose validation then refuses it.
 */
export function remove(type: Type, value: Json, paths: FieldSet): Json {
  const shape = shapeOf(type, value);
  const map = mapPart(type, shape);
  const list = listPart(type, shape);
  if (map !== undefined) return isJsonObject(value) ? removeMembers(map, value, paths) : value;
  return list !== undefined && isJsonArray(value) ? removeItems(list, value, paths) : value;
}

function removeMembers(map: MapType, value: JsonObject, paths: FieldSet): Json {
  if (map.atomic) return value;
  const rest: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const below = paths.children.get(`f:${name}`);
    const item = value[name] as Json;
    if (below === undefined) put(rest, name, item);
    else if (!below.member) put(rest, name, remove(fieldTypeOf(map, name), item, below));
  }
  return Object.keys(rest).length > 0 ? rest : null;
}

function removeItems(list: ListType, items: readonly Json[], paths: FieldSet): Json {
  if (list.relationship === "atomic") return items;
  const rest: Json[] = [];
  for (const item of items) {
    const below = paths.children.get(itemElement(list, item));
    if (below === undefined) rest.push(item);
    else if (!below.member) rest.push(remove(list.element, item, below));
  }
  return rest.length > 0 ? rest : null;
}
