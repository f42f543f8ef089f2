import { listAt, objectAt, textAt } from "./kube-object.ts";
import { isJsonObject, type Json, type JsonObject } from "./schema.ts";
import { badRequest, type Cause } from "./status-error.ts";

const NAME_MAX_LENGTH = 253;
const GENERATED_NAME_MAX_LENGTH = 63;
const GENERATED_SUFFIX_LENGTH = 5;
/** Without vowels and look-alikes, as Kubernetes generates names. */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** What metadata members look like; a wrong one makes the body undecodable. */
const MEMBER_TYPES: Readonly<Record<string, "string" | "map" | "strings" | "objects" | "number">> = {
  name: "string",
  generateName: "string",
  namespace: "string",
  selfLink: "string",
  uid: "string",
  resourceVersion: "string",
  generation: "number",
  creationTimestamp: "string",
  deletionTimestamp: "string",
  deletionGracePeriodSeconds: "number",
  labels: "map",
  annotations: "map",
  ownerReferences: "objects",
  finalizers: "strings",
  managedFields: "objects",
};

const FITS: Readonly<Record<string, (value: Json) => boolean>> = {
  string: isText,
  number: (value) => typeof value === "number",
  map: (value) =>
    isJsonObject(value) && Object.values(value).every((member) => member === null || isText(member)),
  strings: (value) => Array.isArray(value) && value.every(isText),
  objects: (value) => Array.isArray(value) && value.every(isJsonObject),
};

/** Throws StatusError 400 when a metadata member has the wrong type. */
export function checkMetadataTypes(object: JsonObject): void {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) return;
  if (!isJsonObject(metadata)) throw undecodable(object, "metadata", metadata, "v1.ObjectMeta");
  for (const [member, type] of Object.entries(MEMBER_TYPES)) {
    const value = metadata[member];
    if (value === undefined || value === null || FITS[type]?.(value)) continue;
    throw undecodable(object, `metadata.${member}`, value, type === "map" ? "map[string]string" : type);
  }
}

function undecodable(object: JsonObject, path: string, value: Json, type: string) {
  const kind = textAt(object, "kind");
  const version = textAt(object, "apiVersion").split("/").at(-1);
  const found = Array.isArray(value) ? "array" : typeof value;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${found} into Go struct field .${path} of type ${type}`,
  );
}

/** Metadata without members that are null or empty, as Kubernetes stores it. */
export function tidyMetadata(metadata: JsonObject): JsonObject {
  const tidy: Record<string, Json> = {};
  for (const [member, value] of Object.entries(metadata)) {
    if (member === "selfLink" || isEmpty(value)) continue;
    tidy[member] = value;
  }
  return tidy;
}

function isEmpty(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The base cut to fit, plus five random letters. */
export function generateName(base: string): string {
  let suffix = "";
  for (let index = 0; index < GENERATED_SUFFIX_LENGTH; index++) {
    suffix += SUFFIX_LETTERS[Math.floor(Math.random() * SUFFIX_LETTERS.length)];
  }
  return base.slice(0, GENERATED_NAME_MAX_LENGTH - GENERATED_SUFFIX_LENGTH) + suffix;
}

/** Names that are labels rather than subdomains, and names of RBAC objects that may hold any path segment. */
export type NameForm = "subdomain" | "label" | "path";

export function metadataCauses(metadata: JsonObject, nameForm: NameForm): Cause[] {
  return [
    ...nameCauses(textAt(metadata, "name"), nameForm),
    ...labelCauses(objectAt(metadata, "labels")),
    ...Object.keys(objectAt(metadata, "annotations")).flatMap((key) =>
      qualifiedNameCauses(key.toLowerCase(), "metadata.annotations"),
    ),
    ...listAt(metadata, "finalizers").flatMap((name) =>
      qualifiedNameCauses(String(name), "metadata.finalizers"),
    ),
    ...ownerReferenceCauses(listAt(metadata, "ownerReferences")),
  ];
}

function nameCauses(name: string, form: NameForm): Cause[] {
  const field = "metadata.name";
  if (name === "") {
    return [
      { reason: "FieldValueRequired", message: "Required value: name or generateName is required", field },
    ];
  }
  if (form === "path")
    return /[/%]/.test(name) || name === "." || name === ".."
      ? [invalidValue(name, "may not contain '/'", field)]
      : [];
  const max = form === "label" ? GENERATED_NAME_MAX_LENGTH : NAME_MAX_LENGTH;
  if (name.length > max) return [invalidValue(name, `must be no more than ${max} bytes`, field)];
  if (form === "label") return LABEL.test(name) ? [] : [invalidValue(name, LABEL_TEXT, field)];
  return SUBDOMAIN.test(name) ? [] : [invalidValue(name, SUBDOMAIN_TEXT, field)];
}

function labelCauses(labels: JsonObject): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameCauses(key, "metadata.labels"),
    ...(LABEL_VALUE.test(String(value))
      ? []
      : [
          invalidValue(
            String(value),
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            "metadata.labels",
          ),
        ]),
  ]);
}

function qualifiedNameCauses(key: string, field: string): Cause[] {
  const slash = key.indexOf("/");
  const prefixFits = slash < 0 || (slash <= NAME_MAX_LENGTH && SUBDOMAIN.test(key.slice(0, slash)));
  if (prefixFits && NAME_PART.test(key.slice(slash + 1))) return [];
  return [
    invalidValue(
      key,
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')",
      field,
    ),
  ];
}

function ownerReferenceCauses(references: readonly Json[]): Cause[] {
  const causes: Cause[] = [];
  let controllers = 0;
  for (const reference of references) {
    if (!isJsonObject(reference)) continue;
    for (const member of ["apiVersion", "kind", "name", "uid"]) {
      if (textAt(reference, member) !== "") continue;
      const field = `metadata.ownerReferences.${member}`;
      const message = 'Invalid value: "": must not be empty';
      causes.push({ reason: "FieldValueInvalid", message, field });
    }
    if (reference["controller"] === true) controllers++;
  }
  if (controllers > 1) {
    const message = "Invalid value: only one reference can have Controller set to true";
    causes.push({ reason: "FieldValueInvalid", message, field: "metadata.ownerReferences" });
  }
  return causes;
}

function invalidValue(value: string, text: string, field: string): Cause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(value)}: ${text}`, field };
}

function isText(value: Json): boolean {
  return typeof value === "string";
}
