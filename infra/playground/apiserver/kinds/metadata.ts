import type { Random } from "../../../../shared/runtime/ports.ts";
import { type Cause, invalidValue, required } from "../errors/status-error.ts";
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  setMember,
} from "../objects/json.ts";
import { listAt, objectAt, textAt } from "../objects/kube-object.ts";

const NAME_MAX_LENGTH = 253;
const GENERATED_NAME_MAX_LENGTH = 63;
const GENERATED_SUFFIX_LENGTH = 5;
/** Names and texts of all annotations of an object. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;
/** The letters without vowels and look-alikes, as Kubernetes generates names. */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** Returns metadata without members that are null or empty, as Kubernetes stores it. */
export function tidyMetadata(metadata: JsonObject): JsonObject {
  const tidy: Record<string, Json> = {};
  for (const [member, value] of Object.entries(metadata)) {
    if (member === "selfLink" || isEmpty(value)) continue;
    setMember(tidy, member, memberOf(TIDY, member)?.(value) ?? value);
  }
  return tidy;
}

/** A null label is an empty one; of equal owner references one is enough. */
const TIDY: Readonly<Record<string, (value: Json) => Json>> = {
  labels: withTexts,
  annotations: withTexts,
  ownerReferences: withoutCopies,
};

/** The text for a Warning header when owner references were given twice. */
export function copyWarnings(given: JsonObject, tidy: JsonObject, verb: string): string[] {
  const kept = listAt(tidy, "ownerReferences");
  const seen = new Set<string>();
  const copies = listAt(given, "ownerReferences").filter((reference) => !isFirst(seen, reference));
  if (copies.length === 0 || kept.length === 0) return [];
  const uids = copies.map((reference) => textAt(isJsonObject(reference) ? reference : {}, "uid")).join(",");
  return [
    `.metadata.ownerReferences contains duplicate entries${verb === "patch" ? " after mutating admission happens" : ""}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  ];
}

function withTexts(value: Json): Json {
  if (!isJsonObject(value) || !Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? ""]));
}

function withoutCopies(value: Json): Json {
  if (!Array.isArray(value) || value.length < 2) return value;
  const seen = new Set<string>();
  return value.filter((item: Json) => isFirst(seen, item));
}

/** Whether no equal value was seen before. */
function isFirst(seen: Set<string>, value: Json): boolean {
  const { size } = seen;
  return seen.add(canonicalJson(value)).size > size;
}

function isEmpty(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The base cut to fit, plus five random letters. */
export function generateName(base: string, random: Random): string {
  let suffix = "";
  for (let index = 0; index < GENERATED_SUFFIX_LENGTH; index++) {
    suffix += SUFFIX_LETTERS[Math.floor(random.number() * SUFFIX_LETTERS.length)];
  }
  return base.slice(0, GENERATED_NAME_MAX_LENGTH - GENERATED_SUFFIX_LENGTH) + suffix;
}

/** Names that are labels rather than subdomains, and names of RBAC objects that may hold any path segment. */
export type NameForm = "subdomain" | "label" | "path";

export function metadataCauses(metadata: JsonObject, nameForm: NameForm): Cause[] {
  return [
    ...generateNameCauses(textAt(metadata, "generateName"), nameForm),
    ...nameCauses(textAt(metadata, "name"), nameForm),
    ...labelCauses(objectAt(metadata, "labels")),
    ...annotationCauses(objectAt(metadata, "annotations")),
    ...finalizerCauses(listAt(metadata, "finalizers")),
    ...ownerReferenceCauses(listAt(metadata, "ownerReferences")),
  ];
}

/** The base of generated names is checked as a name that ends in a letter. */
function generateNameCauses(base: string, form: NameForm): Cause[] {
  if (base === "") return [];
  const field = "metadata.generateName";
  return nameCauses(base.replace(/-$/, "a"), form).map((cause) => ({ ...cause, field }));
}

/** Finalizers of the server itself need no domain. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan", "kubernetes"]);

function finalizerCauses(finalizers: readonly Json[]): Cause[] {
  const field = "metadata.finalizers";
  const causes = finalizers.flatMap((name) => qualifiedNameCauses(String(name), field));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    causes.push(
      invalidValue(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  }
  return causes;
}

/** Most compiled-in kinds take no finalizer without a domain but the server's own. */
export function finalizerDomainCauses(finalizers: readonly Json[], field: string): Cause[] {
  const problem = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.map(String).flatMap((name, index) => {
    const isOwned = name.includes("/") || STANDARD_FINALIZERS.has(name);
    return isOwned ? [] : [invalidValue(`${field}[${index}]`, name, problem)];
  });
}

/** Texts for Warning headers: new finalizers that others may use by accident. */
export function metadataWarnings(metadata: JsonObject, live: JsonObject | undefined): string[] {
  const known = new Set(listAt(live, "finalizers"));
  return listAt(metadata, "finalizers")
    .map(String)
    .filter((name) => !(name.includes("/") || STANDARD_FINALIZERS.has(name) || known.has(name)))
    .map(
      (name) =>
        `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

export function isSubdomain(name: string): boolean {
  return name.length <= NAME_MAX_LENGTH && SUBDOMAIN.test(name);
}

function nameCauses(name: string, form: NameForm): Cause[] {
  const field = "metadata.name";
  if (name === "") {
    return [required(field, "name or generateName is required")];
  }
  if (form === "path")
    return /[/%]/.test(name) || name === "." || name === ".."
      ? [invalidValue(field, name, "may not contain '/'")]
      : [];
  const max = form === "label" ? GENERATED_NAME_MAX_LENGTH : NAME_MAX_LENGTH;
  if (name.length > max) return [invalidValue(field, name, `must be no more than ${max} bytes`)];
  if (form === "label") return LABEL.test(name) ? [] : [invalidValue(field, name, LABEL_TEXT)];
  return SUBDOMAIN.test(name) ? [] : [invalidValue(field, name, SUBDOMAIN_TEXT)];
}

function labelCauses(labels: JsonObject): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameCauses(key, "metadata.labels"),
    ...labelValueCauses(String(value), "metadata.labels"),
  ]);
}

function annotationCauses(annotations: JsonObject): Cause[] {
  const field = "metadata.annotations";
  const texts = Object.entries(annotations).flat().map(String);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const message = `Too long: may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`;
  return [
    ...Object.keys(annotations).flatMap((key) => qualifiedNameCauses(key.toLowerCase(), field)),
    ...(bytes > ANNOTATIONS_MAX_BYTES ? [{ reason: "FieldValueTooLong", message, field }] : []),
  ];
}

function labelValueCauses(value: string, field: string): Cause[] {
  if (LABEL_VALUE.test(value)) return [];
  return [
    invalidValue(
      field,
      value,
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ),
  ];
}

export function qualifiedNameCauses(key: string, field: string): Cause[] {
  const slash = key.indexOf("/");
  const prefixFits = slash < 0 || (slash <= NAME_MAX_LENGTH && SUBDOMAIN.test(key.slice(0, slash)));
  if (prefixFits && NAME_PART.test(key.slice(slash + 1))) return [];
  return [
    invalidValue(
      field,
      key,
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
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
      causes.push(invalidValue(`metadata.ownerReferences.${member}`, "", "must not be empty"));
    }
    if (reference["controller"] === true) controllers++;
  }
  if (controllers > 1) {
    const message = "Invalid value: only one reference can have Controller set to true";
    causes.push({ reason: "FieldValueInvalid", message, field: "metadata.ownerReferences" });
  }
  return causes;
}
