import { LongInteger } from "../../../platform/yaml/long-integer.ts";

/** JSON values, and what all of them have in common. */

export type Json = null | boolean | number | LongInteger | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** An object as stored and sent: always with apiVersion, kind and metadata. */
export interface KubeJson extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/** Returns true for `{}` and friends, false for null and arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LongInteger)
  );
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** An own member; undefined for what every object inherits, such as `constructor` (S-50). */
export function memberOf<T>(object: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member of an object under construction, whatever its name: assignment to `__proto__` sets none (S-50). */
export function setMember<T>(target: { [name: string]: T }, name: string, value: T): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

export function isNumber(value: Json): value is number | LongInteger {
  return typeof value === "number" || value instanceof LongInteger;
}

export function isInteger(value: number | LongInteger): boolean {
  return value instanceof LongInteger || Number.isInteger(value);
}

/** Compares JSON values deeply; members in any order. */
export function equalJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left instanceof LongInteger) return right instanceof LongInteger && left.value === right.value;
  if (isJsonArray(left)) {
    if (!isJsonArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index] as Json));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && equalJson(left[name] as Json, right[name] as Json),
  );
}

/** Compares JSON values deeply that may be absent; the order of members does not matter. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equalJson(a, b));
}

/** Returns JSON text that is the same for equal values: members are sorted by name. Takes linear time. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
