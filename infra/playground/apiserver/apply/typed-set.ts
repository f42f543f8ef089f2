import { isJsonArray, isJsonObject, type Json } from "../objects/json.ts";
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
