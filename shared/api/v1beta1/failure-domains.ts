import type { Place } from "./moved-fields.ts";

/**
 * Returns the list of v1beta2, by name, from the map of v1beta1 (name → controlPlane, attributes). Throws
 * Error for other values.
 */
export function toFailureDomains(domains: unknown, { field }: Place): readonly object[] {
  if (typeof domains !== "object" || domains === null || Array.isArray(domains)) {
    throw new Error(`${field}: is not a map; v1beta1 lists failure domains by their names`);
  }
  return Object.entries(domains)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, domain]) => ({ ...domain, name }));
}
