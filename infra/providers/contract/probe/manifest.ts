import { CLUSTER_GROUP, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { clusterIn } from "../../../../shared/contract/rules/probe/life-views.ts";
import type { Snapshot } from "../../../../shared/contract/rules/probe/subject.ts";
import { isObject } from "../../../platform/kube/kind-shapes.ts";
import { CONFIG_MAPS } from "../../clusterctl/move/discovery-types.ts";
import { documentsOf } from "../documents.ts";
import type { InputDocument } from "../read-crd.ts";
import { readFiles } from "../read-files.ts";
import { change, kindIn, type Scratch } from "./scratch.ts";
import { LifeEnded, type Watcher, type WatchLimits } from "./watcher.ts";

/** An object of a manifest. */
export interface ManifestObject {
  readonly value: InputDocument["value"];
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** `file:line` */
  readonly place: string;
}

const MAX_OBJECTS = 1_000;

/** Reads the objects of a file or of standard input (`-`). Throws with file and line where one cannot be read. */
export async function readManifest(path: string): Promise<readonly ManifestObject[]> {
  const { files, releases, problems } = await readFiles(path);
  const read = documentsOf(files);
  const [problem] = [...problems, ...read.problems];
  if (problem !== undefined) {
    const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
    throw new Error(`${place}: ${problem.message}`);
  }
  if (releases.length > 0)
    throw new Error(`${path} is a release; name what clusterctl generate cluster prints`);
  // The probe makes the namespace itself.
  const objects = read.documents.map(objectOf).filter((one) => one.kind !== "Namespace");
  if (!objects.some(isCluster)) {
    throw new Error(`${path} has no Cluster; name what clusterctl generate cluster prints`);
  }
  // A life is that of one Cluster: the others would be neither paused nor scaled.
  const clusters = objects.filter(isCluster);
  if (clusters.length > 1)
    throw new Error(
      `${path} has ${clusters.length} Clusters (${clusters
        .map(({ name }) => name)
        .slice(0, 5)
        .join(", ")}); leave one`,
    );
  if (objects.length > MAX_OBJECTS)
    throw new Error(`${path} has more than ${MAX_OBJECTS} objects; make it smaller`);
  return objects;
}

export function isCluster({ kind, apiVersion }: ManifestObject): boolean {
  return kind === "Cluster" && groupOf(apiVersion) === CLUSTER_GROUP;
}

function objectOf({ value, file, line }: InputDocument): ManifestObject {
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const name = metadata["name"];
  const place = `${file}:${line}`;
  if (typeof name !== "string" || name === "")
    throw new Error(`${place}: metadata.name is missing; name the object`);
  return { value, apiVersion: String(value["apiVersion"]), kind: String(value["kind"]), name, place };
}

/** Applies objects to the namespace of the probe. Throws for kinds that the server does not serve there. */
export async function applyManifest(scratch: Scratch, objects: readonly ManifestObject[]): Promise<void> {
  const served = objects.map((object) => ({ object, kind: servedKind(scratch, object) }));
  for (const { object, kind } of served) {
    const { namespace } = scratch;
    await scratch.client.apply(kind, { namespace, name: object.name }, placedIn(namespace, object));
  }
}

function servedKind({ kinds }: Scratch, { apiVersion, kind, name, place }: ManifestObject): Kind {
  const isMap = apiVersion === "v1" && kind === CONFIG_MAPS.kind;
  const found = isMap ? CONFIG_MAPS : kindIn(kinds, { apiVersion, kind, metadata: { name } });
  if (found === undefined) {
    throw new Error(
      `${place}: ${apiVersion} ${kind} is not served as a kind of core or of a provider in a namespace; install its provider, or leave it out`,
    );
  }
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return { ...found, version };
}

/** The object, and its references to its own namespace, in another one. */
function placedIn(namespace: string, { value }: ManifestObject): object {
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const former = metadata["namespace"];
  const spec = typeof former === "string" ? replaced(value["spec"], former, namespace) : value["spec"];
  return {
    ...value,
    metadata: { ...metadata, namespace },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Members `namespace` with the former name; the parser bounds the depth. */
function replaced(value: unknown, former: string, namespace: string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, former, namespace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "namespace" && member === former ? namespace : replaced(member, former, namespace),
    ]),
  );
}

/** A field that a provider acts on. */
export interface Mutation {
  /** `spec.size` */
  readonly path: string;
  readonly value: unknown;
}

export interface LifeOptions extends WatchLimits {
  /** The change of a field beside the replicas of the MachinePool. */
  readonly mutation: Mutation | undefined;
  /** Called at each step. */
  readonly note: (text: string) => void;
}

/** Where a life is played. */
export interface Stage {
  readonly scratch: Scratch;
  readonly options: LifeOptions;
  readonly watcher: Watcher;
  readonly manifest: readonly ManifestObject[];
  /** The snapshot once everything was provisioned. */
  readonly provisioned: Snapshot;
  /** Waits until nothing changes, and keeps what it was like. */
  quiet(): Promise<Snapshot>;
}

export function clusterOn({ provisioned }: Stage): KubeObject {
  const cluster = clusterIn(provisioned);
  if (cluster === undefined) throw new LifeEnded("the manifest has no Cluster");
  return cluster;
}

export function setPaused(stage: Stage, paused: boolean): Promise<void> {
  const path = "/spec/paused";
  // Absent and false are the same; a core may drop the default.
  return change(stage.scratch, clusterOn(stage), [{ op: "add", path, value: paused }]);
}

export function setReplicas({ scratch }: Stage, pool: KubeObject, replicas: number): Promise<void> {
  return change(scratch, pool, [{ op: "add", path: "/spec/replicas", value: replicas }]);
}
