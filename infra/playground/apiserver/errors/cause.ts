import type { Json } from "../objects/json.ts";
import type { Cause } from "./status-error.ts";

/** Returns why a field of a compiled-in kind is refused, worded as Kubernetes words it. */

export function required(field: string, problem?: string): Cause {
  const message = `Required value${problem === undefined ? "" : `: ${problem}`}`;
  return { reason: "FieldValueRequired", message, field };
}

export function invalidValue(field: string, value: Json, problem: string): Cause {
  const message = `Invalid value: ${JSON.stringify(value)}: ${problem}`;
  return { reason: "FieldValueInvalid", message, field };
}

export function forbiddenField(field: string, problem: string): Cause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${problem}`, field };
}
