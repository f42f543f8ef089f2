import { type Fields, fieldAt, isFields, setAt } from "./fields.ts";
import type { Around, Direction } from "./forms.ts";
import type { FieldRows, Nested, Row, Shape } from "./rows.ts";

/** One conversion of one object. */
export interface Conversion extends Around {
  readonly to: Direction;
  /** The part of it that the annotation keeps, as v1beta2 has it. */
  readonly kept: Fields | undefined;
  /** How many lists and maps it is in. */
  readonly depth: number;
}

/** JSON schemas hold others, to this depth. */
const MAX_DEPTH = 64;

/** The path of a value that cannot be converted, and why. */
class FieldError extends Error {
  constructor(path: string, cause: Error) {
    super(
      `${path}${cause instanceof FieldError ? (cause.message.startsWith("[") ? "" : ".") : ": "}${cause.message}`,
    );
  }
}

/**
 * Returns the fields of an object as the other version has them; unknown ones are dropped. Throws Error with the field and
 * the problem.
 */
export function convertFields(fields: FieldRows, source: Fields, conversion: Conversion): Fields {
  if (conversion.depth > MAX_DEPTH) throw new Error(`is nested deeper than ${MAX_DEPTH} levels`);
  const made: Record<string, unknown> = {};
  for (const row of fields.rows) convertRow(row, source, made, conversion);
  for (const row of fields.always[conversion.to]) complete(row, made, conversion);
  return made;
}

function convertRow(row: Row, source: Fields, made: Record<string, unknown>, conversion: Conversion): void {
  const isUp = conversion.to === "up";
  const [from, target] = isUp ? [row.old, row.at] : [row.at, row.old];
  if (target === undefined) return;
  const given = from === undefined ? undefined : fieldAt(source, from);
  let value: unknown;
  if (from !== undefined && given !== undefined) {
    value = within(from.join("."), () => convertValue(row, given, conversion));
    if (row[conversion.to] === "drop" && row.shape.is !== "form" && isEmpty(value)) value = undefined;
  }
  if (isUp && row.restored !== undefined) value = restored(row, value, conversion.kept);
  if (value !== undefined) setAt(made, target, value);
}

/** Writes an empty value where there must be one. */
function complete(row: Row, made: Record<string, unknown>, conversion: Conversion): void {
  const target = conversion.to === "up" ? row.at : row.old;
  if (target === undefined || !isFields(fieldAt(made, target.slice(0, -1)))) return;
  if (fieldAt(made, target) === undefined) setAt(made, target, emptyOf(row, conversion));
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const IS_TYPE: { readonly [type: string]: (value: unknown) => boolean } = {
  any: () => true,
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  object: isFields,
  string: (value) => typeof value === "string",
};

function convertValue({ shape, at }: Row, value: unknown, conversion: Conversion): unknown {
  if (shape.is === "form") return shape.form[conversion.to](value, conversion);
  if (shape.is === "plain") return checked(shape, value);
  if (shape.is === "object") return isFields(value) ? {} : refuse("an object");
  return convertMembers(shape, value, keptAt(conversion.kept, at), conversion);
}

function checked({ type, isTime }: Extract<Shape, { readonly is: "plain" }>, value: unknown): unknown {
  if (IS_TYPE[type]?.(value) === false) throw new Error(`must be of type ${type}`);
  if (isTime && !(RFC_3339.test(String(value)) && Number.isFinite(Date.parse(String(value))))) {
    throw new Error(`"${value}" is not a time; write it as 2026-01-31T12:00:00Z`);
  }
  return value;
}

function convertMembers(shape: Nested, value: unknown, kept: unknown, conversion: Conversion): unknown {
  const fields = shape.fields();
  const convert = (member: unknown, of: unknown): Fields | null => {
    if (shape.hasNull && conversion.to === "down" && isEmpty(member)) return null;
    const source = member ?? {};
    if (!isFields(source)) return refuse("an object");
    const inner = conversion.kept === undefined ? undefined : isFields(of) ? of : {};
    return convertFields(fields, source, { ...conversion, kept: inner, depth: conversion.depth + 1 });
  };
  if (shape.is === "one") return convert(value, kept);
  if (shape.is === "list") {
    if (!Array.isArray(value)) return refuse("a list");
    const find = finder(kept, fields.key);
    return value.map((member: unknown, index) =>
      within(`[${index}]`, () => convert(member, find(member, index))),
    );
  }
  if (!isFields(value)) return refuse("a map");
  const of = isFields(kept) ? kept : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, within(name, () => convert(member, of[name]))]),
  );
}

function refuse(what: string): never {
  throw new Error(`must be ${what}`);
}

function within<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Error ? new FieldError(path, error) : error;
  }
}

function keptAt(kept: Fields | undefined, path: readonly string[]): unknown {
  try {
    return kept === undefined ? undefined : fieldAt(kept, path);
  } catch {
    return undefined;
  }
}

/** Finds what is kept of an element: by its name, where elements have one, or by its place. */
function finder(kept: unknown, key: string | undefined): (member: unknown, index: number) => unknown {
  if (!Array.isArray(kept)) return () => undefined;
  if (key === undefined) return (_, index) => kept[index];
  const byKey = new Map(
    kept.map((element: unknown) => [isFields(element) ? element[key] : undefined, element]),
  );
  return (member) => (isFields(member) ? byKey.get(member[key]) : undefined);
}

/** Returns the value of the annotation where v1beta1 could not say it. */
function restored({ at, restored: of }: Row, value: unknown, kept: Fields | undefined): unknown {
  if (kept === undefined) return value;
  const before = keptAt(kept, at);
  if (of === "whole") return before;
  return value === undefined && (before === false || before === 0) ? before : value;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return !value;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

function emptyOf({ shape, empty }: Row, conversion: Conversion): unknown {
  return shape.is === "form" ? shape.form.empty?.(conversion) : structuredClone(empty);
}

/**
 * Returns what an object has that the older version cannot say, for the annotation; `undefined`: nothing. Elements of lists
 * keep their names, or their places.
 */
export function keptOf({ rows, key }: FieldRows, source: Fields): Fields | undefined {
  const kept: Record<string, unknown> = {};
  for (const { at, shape, restored: of } of rows) {
    const value = keptAt(source, at);
    const isKept = of === "whole" ? value !== undefined : of === "empty" && (value === false || value === 0);
    const part = isKept ? value : "fields" in shape && value !== undefined ? partOf(shape, value) : undefined;
    if (part !== undefined) setAt(kept, at, part);
  }
  if (Object.keys(kept).length === 0) return undefined;
  return key === undefined ? kept : { [key]: source[key], ...kept };
}

function partOf({ is, fields }: Nested, value: unknown): unknown {
  const of = (member: unknown) => (isFields(member) ? keptOf(fields(), member) : undefined);
  if (is === "one") return of(value);
  if (is === "list") {
    const parts = Array.isArray(value) ? value.map(of) : [];
    if (parts.every((part) => part === undefined)) return undefined;
    return fields().key === undefined
      ? parts.map((part) => part ?? {})
      : parts.filter((part) => part !== undefined);
  }
  const parts = Object.entries(isFields(value) ? value : {}).flatMap(([name, member]) => {
    const part = of(member);
    return part === undefined ? [] : [[name, part] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}
