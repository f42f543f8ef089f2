import type { Json } from "../objects/json.ts";
import type { Cause } from "./status-error.ts";

/** Returns why a field of a compiled-in kind is refused, worded as Kubernetes words it. */

export function required(field: string): Cause {
  return { reason: "FieldValueRequired", message: "Required value", field };
}

export function invalidValue(field: string, value: Json, problem: string): Cause {
  const message = `Invalid value: ${JSON.stringify(value)}: ${problem}`;
  return { reason: "FieldValueInvalid", message, field };
}

export function forbiddenField(field: string, problem: string): Cause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${problem}`, field };
}

export function duplicateValue(field: string, value: Json): Cause {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${JSON.stringify(value)}`, field };
}

export function unknownName(field: string, name: string): Cause {
  return { reason: "FieldValueNotFound", message: `Not found: ${JSON.stringify(name)}`, field };
}

/** Returns nothing when the text is one of those supported. */
export function unlessSupported(field: string, value: string, supported: readonly string[]): Cause[] {
  if (supported.includes(value)) return [];
  const list = supported.map((one) => JSON.stringify(one)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return [{ reason: "FieldValueNotSupported", message, field }];
}
