import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";

/** One of these, each as likely. */
export const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Mostly absent. */
export const rarely = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: pick(...values) });

/** Up to `max` members of a table, each with one of its values. */
export function someOf(
  table: Readonly<Record<string, fc.Arbitrary<Json>>>,
  max: number,
): fc.Arbitrary<JsonObject> {
  const names = fc.uniqueArray(fc.constantFrom(...Object.keys(table)), { maxLength: max });
  return names.chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((name) => [name, table[name] as fc.Arbitrary<Json>]))),
  );
}
