import { invalidValue, required } from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { listAt, objectAt, textAt } from "../objects/kube-object.ts";

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const SIMPLE_PATH = /^(?:\.[a-zA-Z0-9_-]+)+$/;
const REPLICAS = { specReplicasPath: ".spec.", statusReplicasPath: ".status." };

/** Returns what is wrong with printer columns and scale subresources in the spec of a CRD. */
export function crdVersionCauses(spec: JsonObject): Cause[] {
  const versions = listAt(spec, "versions").map((each) => (isJsonObject(each) ? each : {}));
  return [
    ...(spec["preserveUnknownFields"] === true
      ? [invalidValue("spec.preserveUnknownFields", true, PRUNE)]
      : []),
    ...versions.flatMap((version, index) => [
      ...listAt(version, "additionalPrinterColumns").flatMap((column, at) =>
        columnCauses(
          isJsonObject(column) ? column : {},
          `spec.versions[${index}].additionalPrinterColumns[${at}]`,
        ),
      ),
      ...scaleCauses(
        objectAt(version, "subresources")["scale"],
        `spec.versions[${index}].subresources.scale`,
      ),
    ]),
  ];
}

const PRUNE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function columnCauses(column: JsonObject, field: string): Cause[] {
  const type = textAt(column, "type");
  const expected = `must be one of ${COLUMN_TYPES.join(",")}`;
  return [
    ...["name", "jsonPath"].flatMap((member) =>
      textAt(column, member) === "" ? [required(`${field}.${member}`)] : [],
    ),
    ...(type === "" ? [required(`${field}.type`, expected)] : []),
    ...(type === "" || COLUMN_TYPES.includes(type) ? [] : [invalidValue(`${field}.type`, type, expected)]),
  ];
}

function scaleCauses(scale: unknown, field: string): Cause[] {
  if (!isJsonObject(scale)) return [];
  return Object.entries(REPLICAS).flatMap(([member, prefix]) => {
    const path = textAt(scale, member);
    const at = `${field}.${member}`;
    if (path === "") return [required(at)];
    if (!SIMPLE_PATH.test(path))
      return [invalidValue(at, path, "must be a simple json path starting with .")];
    return path.startsWith(prefix)
      ? []
      : [invalidValue(at, path, `should be a json path under ${prefix.slice(0, -1)}`)];
  });
}
