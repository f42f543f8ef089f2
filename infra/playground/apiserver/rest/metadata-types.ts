import { badRequest, type StatusError } from "../errors/status-error.ts";
import { isJsonArray, isJsonObject, isNumber, type Json, type JsonObject } from "../objects/json.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import { memberSchema, type Schema } from "../schema/schema.ts";
import { type Pruned, prune } from "../schema/shape.ts";

/** Types of metadata members; a wrong one makes the body undecodable. */
const MEMBER_TYPES: Readonly<Record<string, "string" | "map" | "strings" | "objects" | "number" | "time">> = {
  name: "string",
  generateName: "string",
  namespace: "string",
  selfLink: "string",
  uid: "string",
  resourceVersion: "string",
  generation: "number",
  creationTimestamp: "time",
  deletionTimestamp: "time",
  deletionGracePeriodSeconds: "number",
  labels: "map",
  annotations: "map",
  ownerReferences: "objects",
  finalizers: "strings",
  managedFields: "objects",
};

const FITS: Readonly<Record<string, (value: Json) => boolean>> = {
  string: isText,
  number: isNumber,
  time: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  map: (value) =>
    isJsonObject(value) && Object.values(value).every((member) => member === null || isText(member)),
  strings: (value) => isJsonArray(value) && value.every(isText),
  objects: (value) => isJsonArray(value) && value.every(isJsonObject),
};

const FREE: Schema = { "x-kubernetes-preserve-unknown-fields": true };

const OWNER_REFERENCE: Schema = {
  properties: Object.fromEntries(
    ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"].map((name) => [name, FREE]),
  ),
};

const METADATA: Schema = {
  properties: {
    metadata: {
      properties: {
        ...Object.fromEntries(Object.keys(MEMBER_TYPES).map((name) => [name, FREE])),
        ownerReferences: { items: OWNER_REFERENCE },
      },
    },
  },
};

/** Returns metadata without members that no metadata has; the paths of those start with `metadata.`. */
export function pruneMetadata(metadata: JsonObject): Pruned & { readonly value: JsonObject } {
  const { value, unknown } = prune(METADATA, { metadata }, { isResource: false });
  return { value: objectAt(value as JsonObject, "metadata"), unknown };
}

/** Throws StatusError 400 when a metadata member has the wrong type. */
export function checkMetadataTypes(object: JsonObject): void {
  checkMembers(object, object, "metadata");
}

function checkMembers(root: JsonObject, { metadata }: JsonObject, path: string): void {
  if (metadata === undefined || metadata === null) return;
  if (!isJsonObject(metadata)) throw undecodable(root, path, metadata, "v1.ObjectMeta");
  for (const [member, type] of Object.entries(MEMBER_TYPES)) {
    const value = metadata[member];
    if (value === undefined || value === null || FITS[type]?.(value)) continue;
    throw undecodable(root, `${path}.${member}`, value, type === "map" ? "map[string]string" : type);
  }
}

/** The same for objects within the object (`x-kubernetes-embedded-resource`). */
export function checkEmbedded(schema: Schema, object: JsonObject): void {
  checkBelow(object, schema, object, "");
}

function checkBelow(root: JsonObject, schema: Schema, value: Json | undefined, path: string): void {
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries())
      checkBelow(root, schema.items ?? {}, item, `${path}[${index}]`);
  }
  if (!isJsonObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) checkMembers(root, value, member(path, "metadata"));
  for (const [name, inner] of Object.entries(value)) {
    const below = memberSchema(schema, name);
    if (below !== undefined) checkBelow(root, below, inner, member(path, name));
  }
}

function member(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function undecodable(object: JsonObject, path: string, value: Json, type: string): StatusError {
  const kind = textAt(object, "kind");
  const version = textAt(object, "apiVersion").split("/").at(-1);
  const found = isJsonArray(value) ? "array" : typeof value;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${found} into Go struct field .${path} of type ${type}`,
  );
}

function isText(value: Json): boolean {
  return typeof value === "string";
}
