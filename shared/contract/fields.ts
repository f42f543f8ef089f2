import type { KubeObject } from "../api/kinds.ts";
import { valueAt } from "../api/path.ts";

/**
 * A field of a provider object. Providers may write anything: a field of another type has no value but a
 * `problem` (`status.ready is not a boolean`); an absent one has neither.
 */
export interface Field<T> {
  readonly value?: T | undefined;
  readonly problem?: string | undefined;
}

export function readBoolean(object: KubeObject, path: string): Field<boolean> {
  return readField(object, path, "boolean", (value) => typeof value === "boolean");
}

export function readString(object: KubeObject, path: string): Field<string> {
  return readField(object, path, "string", (value) => typeof value === "string");
}

/** A count: an integer from 0 to 2^31 - 1. */
export function readCount(object: KubeObject, path: string): Field<number> {
  return readField(
    object,
    path,
    "count",
    (value): value is number =>
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff,
  );
}

/** A list of strings; `limits` are those of the field it will be copied to. Empty strings are left out. */
export function readStrings(
  object: KubeObject,
  path: string,
  limits: { readonly maxItems: number; readonly maxLength: number },
): Field<readonly string[]> {
  const { value, problem } = readField(object, path, "list of strings", isStrings);
  if (value === undefined) return { problem };
  const strings = value.filter((element) => element !== "");
  if (strings.length > limits.maxItems) return { problem: `${path} has more than ${limits.maxItems} items` };
  return strings.some((element) => [...element].length > limits.maxLength)
    ? { problem: `${path} has an item of more than ${limits.maxLength} characters` }
    : { value: strings };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

function readField<T>(
  object: KubeObject,
  path: string,
  expected: string,
  is: (value: unknown) => value is T,
): Field<T> {
  const value = valueAt(object, path);
  if (value === undefined || value === null) return {};
  return is(value) ? { value } : { problem: `${path} is not a ${expected}` };
}
