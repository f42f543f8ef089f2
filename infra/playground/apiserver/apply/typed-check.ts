import type { LongInteger } from "../../../platform/yaml/long-integer.ts";
import { isJsonArray, isJsonObject, isNumber, type Json } from "../objects/json.ts";
import { formatPath } from "./field-set.ts";
import {
  itemElement,
  type ListType,
  listPart,
  type MapType,
  mapPart,
  type Scalar,
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
