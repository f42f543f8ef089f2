import type { Place } from "./moved-fields.ts";

/** Fields that v1beta1 wrote empty and v1beta2 leaves out. */
const OPTIONAL = ["severity", "reason", "message"];

/**
 * Converts the conditions of v1beta1 to the deprecated conditions of v1beta2. Throws Error for anything but a
 * list of objects.
 */
export function toDeprecatedConditions(conditions: unknown, { field }: Place): readonly object[] {
  if (!Array.isArray(conditions)) throw new Error(`${field}: is not a list`);
  return conditions.map((condition: unknown, index) => {
    if (typeof condition !== "object" || condition === null) {
      throw new Error(`${field}[${index}]: is not a condition; it has type, status and lastTransitionTime`);
    }
    return Object.fromEntries(
      Object.entries(condition).filter(([member, value]) => value !== "" || !OPTIONAL.includes(member)),
    );
  });
}
