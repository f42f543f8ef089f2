import { createHash } from "node:crypto";
import { type ConfigMap, Secret } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { TerminalError } from "../../../shared/function/errors.ts";
import type { Manifests } from "../../../shared/runtime/ports.ts";
import { readYaml, type YamlBounds, YamlError } from "./read-yaml.ts";

type Resource = Secret | ConfigMap;

/** A value of a Secret or ConfigMap has at most a mebibyte; the largest network plugins have half of these marks. */
const BOUNDS: YamlBounds = {
  maxBytes: 1024 * 1024,
  maxDocuments: 1_000,
  maxMarks: 200_000,
  maxAliases: 100,
};
/** Objects of one Secret or ConfigMap. */
const MAX_OBJECTS = 500;

/** Reads manifests as the users of Secrets and ConfigMaps write them: YAML or JSON, objects or lists of objects. */
export const manifests: Manifests = {
  describe(resource) {
    const { name, namespace, uid, resourceVersion, creationTimestamp, ownerReferences } = resource.metadata;
    const values = valuesOf(resource);
    return {
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp, ownerReferences },
      type: isSecret(resource) ? resource.type : undefined,
      hash: values.length === 0 ? undefined : hashOf(values),
    };
  },
  objectsIn(resource) {
    let count = 0;
    return valuesOf(resource).map(([key, bytes]) => {
      const objects = documentsOf(key, bytes).flat();
      count += objects.length;
      if (count > MAX_OBJECTS) throw invalid(key, `more than ${MAX_OBJECTS} objects; split it`);
      for (const object of objects) checkObject(key, object);
      return objects as readonly KubeObject[];
    });
  },
};

/** The values in the order of their keys. */
function valuesOf(resource: Resource): readonly (readonly [string, Buffer])[] {
  const encoding = isSecret(resource) ? "base64" : "utf8";
  return Object.entries(resource.data ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, Buffer.from(value, encoding)]);
}

function isSecret(resource: Resource): resource is Secret {
  return resource.kind === Secret.kind;
}

function hashOf(values: readonly (readonly [string, Buffer])[]): string {
  const hash = createHash("sha256");
  for (const [, bytes] of values) hash.update(bytes);
  return `sha256:${hash.digest("hex")}`;
}

/** A JSON value is YAML as well. The words of the parser may quote the text: only its line is said. */
function documentsOf(key: string, bytes: Buffer): readonly unknown[] {
  try {
    const documents = readYaml(bytes.toString("utf8"), BOUNDS);
    return documents.map(({ value }) => value).filter((value) => value !== undefined && value !== null);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, bound } = error;
    if (bound !== undefined) throw invalid(key, `${bound}; split it`);
    throw invalid(key, line === undefined ? "no YAML" : `no YAML on line ${line}`);
  }
}

function checkObject(key: string, value: unknown): void {
  const { apiVersion, kind, metadata } = Object(value) as { readonly [member: string]: unknown };
  const { name, namespace = "default" } = Object(metadata) as { readonly [member: string]: unknown };
  const isComplete = [apiVersion, kind, name, namespace].every(
    (text) => typeof text === "string" && text !== "",
  );
  if (!isComplete) throw invalid(key, "a document without apiVersion, kind or metadata.name");
}

function invalid(key: string, what: string): TerminalError {
  return new TerminalError("InvalidManifest", `key ${key} has ${what}`);
}
