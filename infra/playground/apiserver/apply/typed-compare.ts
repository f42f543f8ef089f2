import type { LongInteger } from "../../../platform/yaml/long-integer.ts";
import {
  equalJson,
  isJsonArray,
  isJsonObject,
  isNumber,
  type Json,
  type JsonObject,
} from "../objects/json.ts";
import { draftSet, type FieldSet, type FieldSetDraft, formatPath, insertPath } from "./field-set.ts";
import {
  fieldTypeOf,
  itemElement,
  type ListType,
  listPart,
  type MapType,
  mapPart,
  type Scalar,
  type Shape,
  shapeOf,
  type Type,
} from "./typed.ts";

/**
 * Returns why a configuration cannot be applied: undeclared fields, list members without or with the same identity,
 * objects where a scalar belongs and the reverse. One line each, such as `.spec.bogus: field not declared in schema`.
 */
export function checkConfiguration(type: Type, config: Json): string[] {
  const problems: string[] = [];
  checkNode(problems, type, config, []);
  return problems;
}

function checkNode(problems: string[], type: Type, value: Json, path: readonly string[]): void {
  if (value === null) return;
  const shape = shapeOf(type, value);
  const map = mapPart(type, shape);
  const list = listPart(type, shape);
  if (map !== undefined) checkMap(problems, map, value, path);
  else if (list !== undefined) checkList(problems, list, value, path);
  else if (isJsonArray(value) || isJsonObject(value)) {
    problems.push(`${formatPath(path)}: expected scalar, got ${isJsonArray(value) ? "list" : "map"}`);
  } else if (type.scalar !== undefined && !FITS[type.scalar](value)) {
    const problem =
      type.scalar === "numeric"
        ? `numeric (int or float), got ${typeof value === "boolean" ? "bool" : "string"}`
        : `${type.scalar}, got ${JSON.stringify(value)}`;
    problems.push(`${formatPath(path)}: expected ${problem}`);
  }
}

const FITS: Readonly<Record<Scalar, (value: string | number | LongInteger | boolean) => boolean>> = {
  string: (value) => typeof value === "string",
  numeric: isNumber,
  boolean: (value) => typeof value === "boolean",
  any: () => true,
};

function checkMap(problems: string[], map: MapType, value: Json, path: readonly string[]): void {
  if (!isJsonObject(value)) {
    problems.push(`${formatPath(path)}: expected map, got ${isJsonArray(value) ? "list" : typeof value}`);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    const below = [...path, `f:${name}`];
    const type = map.fields.get(name) ?? map.element;
    if (type === undefined) problems.push(`${formatPath(below)}: field not declared in schema`);
    else checkNode(problems, type, item, below);
  }
}

function checkList(problems: string[], list: ListType, value: Json, path: readonly string[]): void {
  if (!isJsonArray(value)) {
    problems.push(`${formatPath(path)}: expected list, got ${typeof value}`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (list.relationship === "atomic") {
      checkNode(problems, list.element, item, [...path, `i:${index}`]);
      continue;
    }
    try {
      const element = itemElement(list, item);
      if (seen.has(element)) {
        problems.push(`${formatPath(path)}: duplicate entries for key ${formatPath([element])}`);
      }
      seen.add(element);
      checkNode(problems, list.element, item, [...path, element]);
    } catch (error) {
      problems.push(
        `${formatPath(path)}: element ${index}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Changes between two objects, as sets of paths. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

type Side = Json | undefined;

interface Walk {
  readonly added: FieldSetDraft;
  readonly removed: FieldSetDraft;
  readonly modified: FieldSetDraft;
  /** Elements from the root to the node in hand. */
  readonly path: string[];
}

/**
 * Compares leaf by leaf; a node that exists on one side only counts itself as well as its leaves.
 * Order in lists does not matter. Throws Error for list members without identity.
 */
export function compare(type: Type, before: Json, after: Json): Comparison {
  const walk: Walk = { added: draftSet(), removed: draftSet(), modified: draftSet(), path: [] };
  compareNode(walk, type, before, after);
  return walk;
}

function compareNode(walk: Walk, type: Type, before: Side, after: Side): void {
  if (before === after) return;
  for (const shape of shapesOf(type, before, after)) {
    const leaf = compareAs(walk, type, shape, [before, after]);
    if (!leaf && shape === finalShape(type, before, after)) markOneSided(walk, before, after);
  }
}

/** Sides of different shape are compared as both, the old one first; that is what makes a change of type visible. */
function shapesOf(type: Type, before: Side, after: Side): readonly Shape[] {
  const last = finalShape(type, before, after);
  if (before === undefined || after === undefined) return [last];
  const first = shapeOf(type, before);
  return first === last ? [last] : [first, last];
}

function finalShape(type: Type, before: Side, after: Side): Shape {
  return shapeOf(type, after === undefined ? (before ?? null) : after);
}

function markOneSided(walk: Walk, before: Side, after: Side): void {
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
}

/** Whether the node was compared as one leaf. */
function compareAs(walk: Walk, type: Type, shape: Shape, sides: readonly [Side, Side]): boolean {
  const map = mapPart(type, shape);
  const list = listPart(type, shape);
  if (map !== undefined) return compareAsMaps(walk, map, sides);
  return list === undefined ? compareLeaf(walk, sides) : compareAsLists(walk, list, sides);
}

/** Two empty maps (or nulls) are a leaf, which preserves the difference between them. */
function compareAsMaps(walk: Walk, map: MapType, [before, after]: readonly [Side, Side]): boolean {
  const old = isJsonObject(before) ? before : {};
  const next = isJsonObject(after) ? after : {};
  if (map.atomic || (isEmptyObject(old) && isEmptyObject(next))) return compareLeaf(walk, [before, after]);
  compareMaps(walk, map, old, next);
  return false;
}

function compareAsLists(walk: Walk, list: ListType, [before, after]: readonly [Side, Side]): boolean {
  const old = isJsonArray(before) ? before : [];
  const next = isJsonArray(after) ? after : [];
  if (list.relationship === "atomic" || (old.length === 0 && next.length === 0)) {
    return compareLeaf(walk, [before, after]);
  }
  compareLists(walk, list, old, next);
  return false;
}

function isEmptyObject(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function compareLeaf(walk: Walk, [before, after]: readonly [Side, Side]): true {
  markOneSided(walk, before, after);
  if (before !== undefined && after !== undefined && !equalJson(before, after)) {
    insertPath(walk.modified, walk.path);
  }
  return true;
}

function compareMaps(walk: Walk, map: MapType, before: JsonObject, after: JsonObject): void {
  for (const name of Object.keys(before)) {
    const next = Object.hasOwn(after, name) ? after[name] : undefined;
    descend(walk, `f:${name}`, fieldTypeOf(map, name), [before[name], next]);
  }
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) {
      descend(walk, `f:${name}`, fieldTypeOf(map, name), [undefined, after[name]]);
    }
  }
}

function descend(walk: Walk, element: string, type: Type, [before, after]: readonly [Side, Side]): void {
  if (before === after) return;
  walk.path.push(element);
  compareNode(walk, type, before, after);
  walk.path.pop();
}

function compareLists(walk: Walk, list: ListType, before: readonly Json[], after: readonly Json[]): void {
  const old = membersOf(list, before);
  const next = membersOf(list, after);
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    compareMembers(walk, list, element, [old.get(element) ?? [], next.get(element) ?? []]);
  }
}

function membersOf(list: ListType, items: readonly Json[]): Map<string, Json[]> {
  const members = new Map<string, Json[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = members.get(element);
    if (same === undefined) members.set(element, [item]);
    else same.push(item);
  }
  return members;
}

/** Duplicates (stored before the schema forbade them) are compared as if they were one atomic member. */
function compareMembers(
  walk: Walk,
  list: ListType,
  element: string,
  [old, next]: readonly [readonly Json[], readonly Json[]],
): void {
  const path = [...walk.path, element];
  if (old.length <= 1 && next.length <= 1) descend(walk, element, list.element, [old[0], next[0]]);
  else if (old.length >= 2 && next.length >= 2) {
    if (!equalJson(old, next)) insertPath(walk.modified, path);
  } else if (old.length >= 2) {
    if (next.length > 0) descend(walk, element, list.element, [undefined, next[0]]);
    insertPath(walk.removed, path);
  } else {
    if (old.length > 0) descend(walk, element, list.element, [old[0], undefined]);
    insertPath(walk.added, path);
  }
}
