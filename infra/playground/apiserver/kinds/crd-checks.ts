import { type Cause, invalidValue, required } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { listAt, objectAt, textAt } from "../objects/kube-object.ts";
import { isSubdomain } from "./metadata.ts";

const MAX_LENGTH = 63;
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const NAME_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const UNIQUE = "Invalid value: must contain unique version names";

/** Returns what is wrong with group, names and names of versions of a CRD. */
export function crdNameCauses({
  metadata,
  spec,
}: {
  readonly metadata: object;
  readonly spec: JsonObject;
}): Cause[] {
  const names = objectAt(spec, "names");
  const versions = listAt(spec, "versions").map((each) => textAt(isJsonObject(each) ? each : {}, "name"));
  const kinds = ["kind", "listKind"].flatMap((member) => kindCauses(names, member));
  const sameKind = textAt(names, "kind") !== "" && textAt(names, "kind") === textAt(names, "listKind");
  return [
    ...groupCauses(textAt(spec, "group")),
    ...approvalCauses(textAt(spec, "group"), metadata as JsonObject),
    ...versions.flatMap((name, index) => labelCauses(name, `spec.versions[${index}].name`)),
    ...(new Set(versions).size < versions.length
      ? [{ reason: "FieldValueInvalid", message: UNIQUE, field: "spec.versions" }]
      : []),
    ...["plural", "singular"].flatMap((member) => {
      const name = textAt(names, member);
      return name === "" ? [] : labelCauses(name, `spec.names.${member}`);
    }),
    ...["shortNames", "categories"].flatMap((member) =>
      listAt(names, member).flatMap((name, index) =>
        labelCauses(String(name), `spec.names.${member}[${index}]`),
      ),
    ),
    ...kinds,
    ...(sameKind
      ? [
          invalidValue(
            "spec.names.listKind",
            names["listKind"] ?? "",
            "kind and listKind may not be the same",
          ),
        ]
      : []),
  ];
}

function groupCauses(group: string): Cause[] {
  const field = "spec.group";
  if (group === "") return [required(field)];
  if (!isSubdomain(group)) return [invalidValue(field, group, "must be a lowercase RFC 1123 subdomain")];
  return group.includes(".") ? [] : [invalidValue(field, group, "should be a domain with at least one dot")];
}

const APPROVAL = "api-approved.kubernetes.io";

/** Groups of Kubernetes itself. */
function approvalCauses(group: string, metadata: JsonObject): Cause[] {
  const isProtected = /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
  if (!isProtected || textAt(objectAt(metadata, "annotations"), APPROVAL) !== "") return [];
  const problem = `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [required(`metadata.annotations[${APPROVAL}]`, problem)];
}

function kindCauses(names: JsonObject, member: string): Cause[] {
  const kind = textAt(names, member);
  if (kind === "") return [];
  const field = `spec.names.${member}`;
  const problem = `may have mixed case, but should otherwise match: ${NAME_TEXT}`;
  return labelCauses(kind.toLowerCase(), field).map(() => invalidValue(field, kind, problem));
}

function labelCauses(name: string, field: string): Cause[] {
  if (name.length > MAX_LENGTH)
    return [invalidValue(field, name, `must be no more than ${MAX_LENGTH} bytes`)];
  return NAME.test(name) ? [] : [invalidValue(field, name, NAME_TEXT)];
}

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
