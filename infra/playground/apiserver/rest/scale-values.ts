import type { Cause } from "../errors/status-error.ts";
import type { ScalePaths } from "../kinds/registry.ts";
import { isInteger, isJsonObject, isNumber, type Json, type JsonObject } from "../objects/json.ts";

const MAX_REPLICAS = 2 ** 31 - 1;

/**
 * Returns the values that `/scale` could not read or would refuse in a custom resource: counts that are not
 * whole numbers from 0 to 2,147,483,647, a selector that is not a text. The fields are the paths as the
 * CustomResourceDefinition writes them.
 */
export function scaleCauses(paths: ScalePaths, object: JsonObject): Cause[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...countCauses(specReplicasPath, valueAt(object, specReplicasPath)),
    ...countCauses(statusReplicasPath, valueAt(object, statusReplicasPath)),
    ...(labelSelectorPath === undefined
      ? []
      : textCauses(labelSelectorPath, valueAt(object, labelSelectorPath))),
  ];
}

/** Returns undefined when it is not there; a parent of the wrong type stands for a value of the wrong type. */
function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json = object;
  for (const member of path.split(".").filter((part) => part !== "")) {
    if (value === null) return undefined;
    if (!isJsonObject(value)) return value === undefined ? undefined : false;
    if (!Object.hasOwn(value, member)) return undefined;
    value = value[member] as Json;
  }
  return value;
}

function countCauses(field: string, value: Json | undefined): Cause[] {
  if (value === undefined) return [];
  if (!isNumber(value) || !isInteger(value)) {
    return [invalidAt(field, 0, `${field} accessor error: ${JSON.stringify(value)} is not an int64`)];
  }
  const count = Number(value);
  if (count < 0) return [invalidAt(field, value, "should be a non-negative integer")];
  return count > MAX_REPLICAS
    ? [invalidAt(field, value, `should be less than or equal to ${MAX_REPLICAS}`)]
    : [];
}

function textCauses(field: string, value: Json | undefined): Cause[] {
  if (value === undefined || typeof value === "string") return [];
  return [invalidAt(field, "", `${field} accessor error: ${JSON.stringify(value)} is not a string`)];
}

function invalidAt(field: string, value: Json, problem: string): Cause {
  return {
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(value)}: ${problem}`,
    field,
  };
}
