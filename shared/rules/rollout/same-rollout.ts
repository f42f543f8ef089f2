import { sameJson } from "../../api/path.ts";
import { prefixedVersion } from "../machines/versions.ts";
import type { RolloutFields } from "./plan-types.ts";

/**
 * Whether Machines of both templates are the same, so that no Machine is replaced. References are compared as a whole,
 * the objects that they name are not looked at; an absent version or failure domain is an empty one, and a version
 * without `v` is read with one.
 */
export function sameRollout(a: RolloutFields, b: RolloutFields): boolean {
  return unlikeParts(a, b).length === 0;
}

/** Returns the parts in which two templates differ. */
export function unlikeParts(a: RolloutFields, b: RolloutFields): readonly (keyof RolloutFields)[] {
  const parts = ["version", "bootstrap", "infrastructureRef", "failureDomain"] as const;
  const [left, right] = [a, b].map((fields) => ({
    ...fields,
    version: fields.version && prefixedVersion(fields.version),
  }));
  return parts.filter((part) => !sameJson(left?.[part] ?? "", right?.[part] ?? ""));
}
