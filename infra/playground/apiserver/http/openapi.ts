import { createHash } from "node:crypto";
import type { Registry, ResourceType, ServedVersion } from "../kinds/registry.ts";
import type { Json, JsonObject } from "../objects/json.ts";
import type { Schema } from "../schema/schema.ts";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

interface Cached {
  readonly revision: number;
  readonly hash: string;
}

const hashes = new WeakMap<Registry, Cached>();

/** One hash for all documents: every change of the registry makes clients read again. */
export function openapiHash(registry: Registry): string {
  const known = hashes.get(registry);
  if (known?.revision === registry.revision) return known.hash;
  const text = [...registry.types].map((type) => `${type.id} ${JSON.stringify(type.versions)}`).join("\n");
  const hash = createHash("sha256").update(text).digest("hex").toUpperCase();
  hashes.set(registry, { revision: registry.revision, hash });
  return hash;
}

/** Returns `/openapi/v3`: where the document of each group version is. */
export function openapiIndex(registry: Registry): JsonObject {
  const hash = openapiHash(registry);
  const paths: Record<string, Json> = {};
  for (const [group, versions] of registry.groups()) {
    for (const version of versions) {
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
  }
  return { paths };
}

/** The OpenAPI v3 document of a group version; undefined for an unknown one. Enough for apply and explain. */
export function openapiDocument(registry: Registry, group: string, version: string): JsonObject | undefined {
  const found = registry.served(group, version);
  if (found.length === 0) return undefined;
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = { [OBJECT_META]: OBJECT_META_SCHEMA };
  for (const { type, served } of found) {
    Object.assign(paths, toPaths(type, served));
    schemas[schemaName(type, served.version)] = toSchema(type, served);
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.34.0" },
    paths,
    components: { schemas },
  };
}

function schemaName(type: ResourceType, version: string): string {
  const reversed = type.group === "" ? "io.k8s.api.core" : type.group.split(".").reverse().join(".");
  return `${reversed}.${version}.${type.kind}`;
}

function toPaths(type: ResourceType, served: ServedVersion): JsonObject {
  const root = type.group === "" ? `/api/${served.version}` : `/apis/${type.group}/${served.version}`;
  const collection = `${root}${type.namespaced ? "/namespaces/{namespace}" : ""}/${type.plural}`;
  const gvk = { group: type.group, kind: type.kind, version: served.version };
  const parameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
    name,
    in: "query",
    schema: { type: "string", uniqueItems: true },
  }));
  const content = {
    "application/json": { schema: { $ref: `#/components/schemas/${schemaName(type, served.version)}` } },
  };
  const operation = (action: string): JsonObject => ({
    operationId: `${action}${type.kind}`,
    parameters,
    responses: { "200": { description: "OK", content } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  });
  return {
    [collection]: { get: operation("list"), post: operation("post") },
    [`${collection}/{name}`]: { get: operation("get"), put: operation("put"), patch: operation("patch") },
  };
}

function toSchema(type: ResourceType, served: ServedVersion): JsonObject {
  const { schema } = served;
  const gvk = [{ group: type.group, kind: type.kind, version: served.version }];
  const properties: Record<string, Schema | JsonObject> = {
    apiVersion: {
      type: "string",
      description: "APIVersion defines the versioned schema of this representation of an object.",
    },
    kind: {
      type: "string",
      description: "Kind is a string value representing the REST resource this object represents.",
    },
    ...schema.properties,
    metadata: {
      description: "Standard object's metadata.",
      allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }],
    },
  };
  return {
    ...schema,
    type: "object",
    properties,
    "x-kubernetes-group-version-kind": gvk,
  } as unknown as JsonObject;
}

const TEXT = { type: "string" };
const TEXT_MAP = { type: "object", additionalProperties: TEXT };

const OBJECT_META_SCHEMA: JsonObject = {
  type: "object",
  description: "ObjectMeta is metadata that all persisted resources must have.",
  properties: {
    annotations: { ...TEXT_MAP, description: "Unstructured key value map set by external tools." },
    creationTimestamp: { type: "string", format: "date-time", description: "When this object was created." },
    deletionGracePeriodSeconds: {
      type: "integer",
      format: "int64",
      description: "Seconds allowed to terminate.",
    },
    deletionTimestamp: {
      type: "string",
      format: "date-time",
      description: "When this object will be deleted.",
    },
    finalizers: { type: "array", items: TEXT, description: "Must be empty before the object is deleted." },
    generateName: { ...TEXT, description: "Prefix of a unique name that the server makes." },
    generation: { type: "integer", format: "int64", description: "Sequence number of the desired state." },
    labels: { ...TEXT_MAP, description: "Map of keys and values to organize and select objects." },
    managedFields: { type: "array", items: { type: "object" }, description: "Who manages which fields." },
    name: { ...TEXT, description: "Unique within a namespace." },
    namespace: { ...TEXT, description: "The space within which each name must be unique." },
    ownerReferences: {
      type: "array",
      description: "Objects depended on by this object.",
      items: {
        type: "object",
        required: ["apiVersion", "kind", "name", "uid"],
        properties: {
          apiVersion: TEXT,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: TEXT,
          name: TEXT,
          uid: TEXT,
        },
      },
    },
    resourceVersion: { ...TEXT, description: "Internal version of this object, opaque to clients." },
    uid: { ...TEXT, description: "Unique in time and space." },
  },
};
