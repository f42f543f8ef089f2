import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { CustomResourceDefinition, isOurs } from "../../../shared/api/core.ts";
import { apiVersionOf, groupOf, type Kind, type KubeObject } from "../../../shared/api/kinds.ts";
import { toV1beta2 } from "../../../shared/api/older/to-v1beta2.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { notRun } from "../../../shared/api/refused-kinds.ts";
import { KINDS, lookupIn } from "../../../shared/api/registry.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { FILE_BOUNDS, readYaml, type YamlDocument, YamlError } from "../../platform/yaml/read-yaml.ts";
import { SIM_KINDS } from "../../playground/api/kinds.ts";
import { showProgress } from "../terminal/progress.ts";

/** An object to apply. */
export interface Manifest {
  readonly object: KubeObject;
  /** File and line of its document; absent when no file holds it. */
  readonly place?: string;
}

/** Reads a YAML or JSON file with any number of objects. Throws with file, line and what to write instead. */
export async function readManifests(file: string): Promise<readonly Manifest[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}`);
  });
  const manifests: Manifest[] = [];
  for (const { value, line, duplicates } of documentsIn(text, file)) {
    const [twice] = duplicates;
    if (twice !== undefined) throw new Error(`${file}:${twice.line}: ${twice.key} is given twice; keep one`);
    if (value === undefined || value === null) continue;
    const place = `${file}:${line}`;
    manifests.push({ object: toObject(value, place), place });
  }
  return manifests;
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

type Applier = Pick<ServerClient, "apply" | "kinds" | "list">;

/** The time between two looks at the kinds of a new CRD, and how long they may take to be served. */
const LOOK_MS = 200;
const ESTABLISHED_WITHIN_MS = 30_000;

/**
 * Applies objects in file order (server-side apply), those of older versions of Cluster API's as v1beta2; `warn` gets a
 * text for each field that has another name there. Namespaced objects without a namespace go to `default`. Throws before
 * the first write when the server does not serve a kind, unless a CustomResourceDefinition among the objects defines it.
 */
export async function applyManifests(
  client: Applier,
  manifests: readonly Manifest[],
  warn: (text: string) => void = () => undefined,
): Promise<void> {
  await refuseNotRun(client, manifests);
  const converted = manifests.map((manifest) => ({ ...manifest, ...convert(manifest) }));
  for (const text of converted.flatMap(({ renamed }) => renamed)) warn(text);
  const asked = new Map<string, Promise<readonly Kind[]>>();
  const ask = (apiVersion: string): Promise<readonly Kind[]> => {
    const kinds = asked.get(apiVersion) ?? client.kinds(apiVersion);
    asked.set(apiVersion, kinds);
    return kinds;
  };
  const defined = new Set(converted.flatMap(({ object }) => definedBy(object) ?? []));
  const served = new Map<Manifest, Kind>();
  for (const manifest of converted) {
    const { apiVersion, kind } = manifest.object;
    if (!defined.has(`${groupOf(apiVersion)}/${kind}`)) served.set(manifest, await servedKind(manifest, ask));
  }
  using progress = showProgress("applying objects", converted.length);
  for (const manifest of converted) {
    await apply(client, manifest, served.get(manifest) ?? (await onceServed(manifest, client)));
    progress.advance();
  }
}

function convert(manifest: Manifest): ReturnType<typeof toV1beta2> {
  try {
    return toV1beta2(manifest.object);
  } catch (error) {
    throw problem(manifest, messageOf(error), error);
  }
}

async function apply(client: Applier, manifest: Manifest, kind: Kind): Promise<void> {
  const { object } = manifest;
  const metadata = kind.namespaced ? { namespace: "default", ...object.metadata } : object.metadata;
  const key = { namespace: metadata.namespace ?? "", name: metadata.name };
  try {
    await client.apply(kind, key, { ...object, metadata });
  } catch (error) {
    const of = `${object.kind} ${key.namespace}/${key.name}`;
    throw problem(manifest, `${of} was refused: ${messageOf(error)}`, error);
  }
}

/** The kind that an object defines, as `<group>/<Kind>`; `undefined`: it is not a CustomResourceDefinition. */
function definedBy(object: KubeObject): string | undefined {
  if (object.kind !== CustomResourceDefinition.kind) return undefined;
  return `${valueAt(object, "spec.group")}/${valueAt(object, "spec.names.kind")}`;
}

/** Kinds that a server has from Capstan: the simulated provider is installed with the core. */
const served = lookupIn([...KINDS, ...SIM_KINDS]);

/** Returns the kind of an object; kinds that are not Capstan's are those that the server says it serves. */
async function servedKind(manifest: Manifest, ask: Applier["kinds"]): Promise<Kind> {
  const { apiVersion, kind, metadata } = manifest.object;
  const known = served(groupOf(apiVersion), kind);
  const isOurs = known !== undefined;
  if (isOurs && apiVersionOf(known) !== apiVersion) {
    const serves = `Capstan serves ${apiVersionOf(known)}, not ${apiVersion}`;
    throw problem(manifest, `${kind} ${metadata.name}: ${serves}; convert the manifest`);
  }
  const found = (await ask(apiVersion)).find((served) => served.kind === kind);
  if (found !== undefined) return isOurs ? known : found;
  const install =
    "this API server does not serve it; install Capstan's CustomResourceDefinitions (--install-crds)";
  throw problem(manifest, `${kind} ${metadata.name}: ${isOurs ? install : notServed(manifest.object)}`);
}

/** The same for a kind whose CustomResourceDefinition is new. */
async function onceServed(manifest: Manifest, client: Applier): Promise<Kind> {
  const lastLookAt = performance.now() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    try {
      return await servedKind(manifest, client.kinds);
    } catch (error) {
      if (performance.now() >= lastLookAt) throw error;
      await setTimeout(LOOK_MS);
    }
  }
}

/** Refuses kinds of Cluster API that Capstan does not run, unless Cluster API serves them. Throws before any write. */
async function refuseNotRun(client: Applier, manifests: readonly Manifest[]): Promise<void> {
  const known = manifests.filter(({ object }) => notRun(object) !== undefined);
  if (known.length === 0) return;
  const { items } = await client.list(CustomResourceDefinition, {});
  for (const manifest of known) {
    const { object } = manifest;
    const isServed = items.some(
      (crd) =>
        !isOurs(crd) && crd.spec.group === groupOf(object.apiVersion) && crd.spec.names.kind === object.kind,
    );
    if (!isServed) throw problem(manifest, `${object.kind} ${object.metadata.name}: ${notRun(object)}`);
  }
}

function notServed({ apiVersion, kind }: KubeObject): string {
  const group = groupOf(apiVersion);
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  const otherwise = isBuiltIn
    ? "use an API server that does (--kubeconfig)"
    : "install its CustomResourceDefinition first";
  return `the API server does not serve ${apiVersion} ${kind}; ${otherwise}, or take the object out of the file`;
}

/** An error that names the place in the file. */
function problem({ place }: Manifest, message: string, cause?: unknown): Error {
  return new Error(place === undefined ? message : `${place}: ${message}`, { cause });
}
