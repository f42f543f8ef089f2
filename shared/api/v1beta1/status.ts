import { toDeprecatedConditions } from "./deprecated-conditions.ts";
import type { MovedField } from "./moved-fields.ts";

const DEPRECATED = "status.deprecated.v1beta1";

/**
 * Returns the fields that moved in every status: failures and conditions of v1beta1 become deprecated, and
 * the conditions that v1beta1 kept under `status.v1beta2` take their place.
 */
export const MOVED_IN_STATUS: readonly MovedField[] = [
  { from: "status.conditions", to: `${DEPRECATED}.conditions`, as: toDeprecatedConditions },
  deprecated("failureReason"),
  deprecated("failureMessage"),
  present("conditions"),
  { from: "status.infrastructureReady", to: "status.initialization.infrastructureProvisioned" },
];

/** Moves a field of the status to the deprecated ones: `readyReplicas`. */
export function deprecated(field: string): MovedField {
  return { from: `status.${field}`, to: `${DEPRECATED}.${field}` };
}

/** Moves a field of `status.v1beta2` to the status. */
export function present(field: string): MovedField {
  return { from: `status.v1beta2.${field}`, to: `status.${field}` };
}
