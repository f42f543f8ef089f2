import { isJsonObject, type Json } from "./json.ts";

/** JSON text that is the same for equal values: members are sorted by name. Finds equal values in linear time. */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return JSON.stringify(value, (_, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
