import type { Json, JsonObject } from "../objects/json.ts";
import { isJsonObject } from "../objects/json.ts";
import { readJson } from "../objects/strict-json.ts";

/**
 * A set of paths into an object, kept as a tree.
 *
 * An edge is a path element in its FieldsV1 spelling: `f:<name>`, `k:<key members as JSON, sorted>` or
 * `v:<JSON scalar>`. `member` says whether the path that ends here is in the set. Except for the root no node is empty,
 * so two equal sets have equal trees. Sets are never changed once built: they are cached and shared.
 */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** A set under construction. */
export interface FieldSetDraft {
  member: boolean;
  readonly children: Map<string, FieldSetDraft>;
}

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map();

export const EMPTY_SET: FieldSet = { member: false, children: NO_CHILDREN };

const LEAF: FieldSet = { member: true, children: NO_CHILDREN };

export function draftSet(): FieldSetDraft {
  return { member: false, children: new Map() };
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** Adds one path to a draft. */
export function insertPath(draft: FieldSetDraft, path: readonly string[]): void {
  let node = draft;
  for (const element of path) {
    let child = node.children.get(element);
    if (child === undefined) {
      child = draftSet();
      node.children.set(element, child);
    }
    node = child;
  }
  // The root stands for the whole object, which has no owner.
  if (node !== draft) node.member = true;
}

function node(member: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  if (children.size > 0) return { member, children };
  return member ? LEAF : EMPTY_SET;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    const mine = children.get(element);
    children.set(element, mine === undefined ? child : union(mine, child));
  }
  return node(left.member || right.member, children);
}

/**
 * Paths of `left` that are not in `right`; a path below one of `right` stays. Returns `left` itself if nothing goes.
 */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return EMPTY_SET;
  const member = left.member && !right.member;
  let changed = member !== left.member;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of left.children) {
    const theirs = right.children.get(element);
    const rest = theirs === undefined ? child : difference(child, theirs);
    if (rest !== child) changed = true;
    if (!isEmptySet(rest)) children.set(element, rest);
  }
  return changed ? node(member, children) : left;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of left.children) {
    const theirs = right.children.get(element);
    if (theirs === undefined) continue;
    const both = intersection(child, theirs);
    if (!isEmptySet(both)) children.set(element, both);
  }
  return node(left.member && right.member, children);
}

/** The set without the given top-level fields and everything below them. */
export function withoutFields(set: FieldSet, names: readonly string[]): FieldSet {
  if (!names.some((name) => set.children.has(`f:${name}`))) return set;
  const children = new Map(set.children);
  for (const name of names) children.delete(`f:${name}`);
  return node(set.member, children);
}

export function equalSets(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.member !== right.member || left.children.size !== right.children.size) return false;
  for (const [element, child] of left.children) {
    const theirs = right.children.get(element);
    if (theirs === undefined || !equalSets(child, theirs)) return false;
  }
  return true;
}

/** Fields before list keys before set values (the first letters happen to sort so), then by text. */
function inOrder(children: ReadonlyMap<string, FieldSet>): [string, FieldSet][] {
  return [...children].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Returns every path of the set, a node's own members before those below its children. */
export function pathsOf(set: FieldSet): string[][] {
  const found: string[][] = [];
  const visit = (current: FieldSet, path: readonly string[]): void => {
    const children = inOrder(current.children);
    for (const [element, child] of children) if (child.member) found.push([...path, element]);
    for (const [element, child] of children) visit(child, [...path, element]);
  };
  visit(set, []);
  return found;
}

/** Returns `.spec.items[name="a"].tags[="x"]`, the spelling of conflict messages. */
export function formatPath(path: readonly string[]): string {
  return path
    .map((element) => {
      const text = element.slice(2);
      if (element.startsWith("f:")) return `.${text}`;
      if (element.startsWith("v:")) return `[=${text}]`;
      if (element.startsWith("i:")) return `[${text}]`;
      const keys = Object.entries(readJson(text) as JsonObject);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
    })
    .join("");
}

/** Returns `k:{"a":1,"b":"x"}`: the path element of a keyed list member; members sorted by name. */
export function keyElement(members: readonly (readonly [string, Json])[]): string {
  const sorted = [...members].sort(([left], [right]) => (left < right ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** Encoded and decoded forms are kept together, so that an unchanged entry costs nothing on the next write. */
const encodedForms = new WeakMap<FieldSet, JsonObject>();
const decodedForms = new WeakMap<JsonObject, FieldSet>();

/** Objects of one kind are mostly owned alike: by its JSON, every encoded form is kept in memory once. */
const sharedForms = new Map<string, JsonObject>();
const MAX_SHARED_FORMS = 1_000;

/** The stored form. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const known = encodedForms.get(set);
  if (known !== undefined) return known;
  const encoded = shared(encode(set));
  if (!isEmptySet(set)) encodedForms.set(set, encoded);
  return encoded;
}

function shared(encoded: JsonObject): JsonObject {
  const json = JSON.stringify(encoded);
  const known = sharedForms.get(json);
  if (known !== undefined) return known;
  if (sharedForms.size >= MAX_SHARED_FORMS) sharedForms.clear();
  sharedForms.set(json, encoded);
  return encoded;
}

function encode(set: FieldSet): JsonObject {
  const encoded: Record<string, Json> = {};
  if (set.member && set.children.size > 0) encoded["."] = {};
  for (const [element, child] of inOrder(set.children)) encoded[element] = encode(child);
  return encoded;
}

/** Reads the stored form. Throws Error when a path element cannot be read. */
export function fromFieldsV1(fields: JsonObject): FieldSet {
  const known = decodedForms.get(fields);
  if (known !== undefined) return known;
  const set = decode(fields, false);
  decodedForms.set(fields, set);
  if (!encodedForms.has(set) && !isEmptySet(set)) encodedForms.set(set, fields);
  return set;
}

function decode(fields: JsonObject, isChild: boolean): FieldSet {
  let member = false;
  const children = new Map<string, FieldSet>();
  for (const [element, below] of Object.entries(fields)) {
    if (!isJsonObject(below)) throw new Error(`bad value of field set member "${element}"`);
    if (element === ".") member = isChild;
    else children.set(canonicalElement(element), decode(below, true));
  }
  return node(isChild && (member || children.size === 0), children);
}

/** Clients may write key members in any order and spacing. */
function canonicalElement(element: string): string {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case "f:":
      return element;
    case "k:": {
      const members: unknown = readJson(text);
      if (!isJsonObject(members)) throw new Error(`bad list key "${element}"`);
      return keyElement(Object.entries(members));
    }
    case "v:":
      return `v:${JSON.stringify(readJson(text))}`;
    case "i:":
      return `i:${Number(text)}`;
    default:
      throw new Error(`bad path element "${element}"`);
  }
}
