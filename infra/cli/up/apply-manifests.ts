import { readFile } from "node:fs/promises";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { apiVersionOf, groupOf, type Kind, type KubeObject } from "../../../shared/api/kinds.ts";
import { kindOf } from "../../../shared/api/registry.ts";
import { toV1beta2 } from "../../../shared/api/v1beta1/to-v1beta2.ts";
import { notRun } from "../../../shared/rules/coexistence/kinds-not-run.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { FILE_BOUNDS, readYaml, type YamlDocument, YamlError } from "../../yaml/read-yaml.ts";

/** Reads a YAML or JSON file with any number of objects. Throws with file, line and what to write instead. */
export async function readManifests(file: string): Promise<readonly KubeObject[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}`);
  });
  const objects: KubeObject[] = [];
  for (const { value, line, duplicates } of documentsIn(text, file)) {
    const [twice] = duplicates;
    if (twice !== undefined) throw new Error(`${file}:${twice.line}: ${twice.key} is given twice; keep one`);
    if (value === undefined || value === null) continue;
    objects.push(toObject(value, `${file}:${line}`));
  }
  return objects;
}

function documentsIn(text: string, file: string): readonly YamlDocument[] {
  try {
    return readYaml(text, FILE_BOUNDS);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`${file}: ${error.message}; write YAML or JSON as kubectl apply reads it`, {
      cause: error,
    });
  }
}

function toObject(value: unknown, where: string): KubeObject {
  if (typeof value !== "object" || value === null)
    throw new Error(`${where}: not an object; start with apiVersion, kind, metadata`);
  const { apiVersion, kind, metadata } = value as Partial<KubeObject>;
  if (typeof apiVersion !== "string" || apiVersion === "") throw new Error(`${where}: apiVersion is missing`);
  if (typeof kind !== "string" || kind === "") throw new Error(`${where}: kind is missing`);
  if (typeof metadata?.name !== "string" || metadata.name === "") {
    throw new Error(`${where}: metadata.name of the ${kind} is missing`);
  }
  return value as KubeObject;
}

/**
 * Applies objects in file order (server-side apply), those of older versions of Cluster API's as v1beta2; `warn` gets a
 * text for each field that has another name there. Namespaced objects without a namespace go to `default`.
 */
export async function applyManifests(
  client: KubeClient,
  objects: readonly KubeObject[],
  warn: (text: string) => void = () => undefined,
): Promise<void> {
  await refuseNotRun(client, objects);
  const converted = objects.map(toV1beta2);
  for (const text of converted.flatMap(({ renamed }) => renamed)) warn(text);
  for (const { object } of converted) {
    const kind = await servedKind(client, object);
    const metadata = kind.namespaced ? { namespace: "default", ...object.metadata } : object.metadata;
    const key = { namespace: metadata.namespace ?? "", name: metadata.name };
    try {
      await client.apply(kind, key, { ...object, metadata });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${object.kind} ${key.namespace}/${key.name} was refused: ${reason}`, { cause: error });
    }
  }
}

/**
 * Refuses kinds of Cluster API that Capstan does not serve, unless Cluster API is installed, too. Throws
 * before any write.
 */
async function refuseNotRun(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const known = objects.filter((object) => notRun(object) !== undefined);
  if (known.length === 0) return;
  const { items } = await client.list(CustomResourceDefinition, {});
  for (const object of known) {
    const isServed = items.some(
      ({ metadata, spec }) =>
        spec.group === groupOf(object.apiVersion) &&
        spec.names.kind === object.kind &&
        // Capstan's own definition does not say that a manager of Cluster API runs.
        metadata.labels?.["app.kubernetes.io/managed-by"] !== "capstan",
    );
    if (!isServed) throw new Error(`${object.kind} ${object.metadata.name}: ${notRun(object)}`);
  }
}

/** Returns the kind of an object; kinds that are not Capstan's are looked up in the CRDs of the server. */
async function servedKind(client: KubeClient, object: KubeObject): Promise<Kind> {
  const group = groupOf(object.apiVersion);
  const known = kindOf(group, object.kind);
  const version = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
  if (known !== undefined && known.external !== true) {
    if (known.version === version) return known;
    throw new Error(
      `${object.kind} ${object.metadata.name}: Capstan serves ${apiVersionOf(known)}, not ${object.apiVersion}; convert the manifest`,
    );
  }
  const { items } = await client.list(CustomResourceDefinition, {});
  const crd = items.find(({ spec }) => spec.group === group && spec.names.kind === object.kind);
  if (crd === undefined)
    throw new Error(
      `no CustomResourceDefinition serves ${object.apiVersion} ${object.kind}; install the provider first`,
    );
  return {
    group,
    version,
    kind: object.kind,
    plural: crd.spec.names.plural,
    namespaced: crd.spec.scope !== "Cluster",
  };
}
