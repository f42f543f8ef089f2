import { toDeprecatedConditions } from "./deprecated-conditions.ts";
import type { MovedField } from "./moved-fields.ts";

const DEPRECATED = "status.deprecated.v1beta1";

/**
 * What moved in every status: the failures and the former conditions are deprecated, and what v1beta1 showed of the
 * new ones takes their place.
 */
export const MOVED_IN_STATUS: readonly MovedField[] = [
  { from: "status.conditions", to: `${DEPRECATED}.conditions`, as: toDeprecatedConditions },
  deprecated("failureReason"),
  deprecated("failureMessage"),
  present("conditions"),
  { from: "status.infrastructureReady", to: "status.initialization.infrastructureProvisioned" },
];

/** A field that is of no more use: `status.readyReplicas` of Nodes. */
export function deprecated(field: string): MovedField {
  return { from: `status.${field}`, to: `${DEPRECATED}.${field}` };
}

/** A field that v1beta1 showed below `status.v1beta2`. */
export function present(field: string): MovedField {
  return { from: `status.v1beta2.${field}`, to: `status.${field}` };
}
