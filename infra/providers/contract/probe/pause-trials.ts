import { PAUSED_ANNOTATION } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import { pointerOf, sameJson, valueAt } from "../../../../shared/api/path.ts";
import { changesBelow } from "../../../../shared/contract/rules/probe/pausing.ts";
import {
  type ManagedTrial,
  type PauseTrial,
  type Snapshot,
  titleOf,
} from "../../../../shared/contract/rules/probe/subject.ts";
import { isObject } from "../../../platform/kube/kind-shapes.ts";
import {
  applyManifest,
  isCluster,
  type ManifestObject,
  type Stage,
  setPaused,
  setReplicas,
} from "./manifest.ts";
import { change, kindIn, remove } from "./scratch.ts";
import { follows, infraOf, objectsIn, poolIn, says } from "./views.ts";
import { LifeEnded } from "./watcher.ts";

/** The name of the other Cluster and its InfraCluster. */
const NAME = "contract-managed";
/** The book says a label, the helper of core reads an annotation. */
const MANAGED_BY = { "cluster.x-k8s.io/managed-by": "capstan-contract-probe" };

/**
 * Makes a second Cluster whose InfraCluster, as in the manifest, is managed by another system, looks at what its provider
 * writes, and removes both. Undefined where the manifest has no InfraCluster, or core does not adopt it.
 */
export async function runManagedTrial(stage: Stage): Promise<ManagedTrial | undefined> {
  const { scratch, watcher, options, manifest } = stage;
  const objects = managedObjects(manifest);
  if (objects === undefined) return undefined;
  options.note("an InfraCluster that another system manages");
  await applyManifest(scratch, objects);
  const titles = objects.map(({ kind }) => `${kind} ${NAME}`);
  const [clusterTitle = "", title = ""] = titles;
  const isAdopted = (object: KubeObject | undefined): boolean =>
    object?.metadata.ownerReferences?.some(({ kind }) => kind === "Cluster") === true;
  const { seen, last } = await watcher.until((snapshot) => isAdopted(snapshot.get(title)));
  await watcher.rest(options.restMs);
  const after = await watcher.look();
  const written = seen ? writtenBetween(last.get(title), after.get(title)) : undefined;
  const cluster = after.get(clusterTitle);
  if (cluster !== undefined) await remove(scratch, cluster);
  const removed = await watcher.until((snapshot) => !snapshot.has(clusterTitle) && !snapshot.has(title));
  if (!removed.seen) throw new LifeEnded(`${titles.join(" or ")} never went away, once it was deleted`);
  return written === undefined ? undefined : { written };
}

/** Core writes the owner and the label only. */
function writtenBetween(first: KubeObject | undefined, last: KubeObject | undefined): readonly string[] {
  const status = valueAt(last, "status");
  const isReported = isObject(status) && Object.keys(status).length > 0;
  return [
    ...((last?.metadata.finalizers ?? []).length > 0 ? ["metadata.finalizers"] : []),
    ...(sameJson(valueAt(first, "spec"), valueAt(last, "spec")) ? [] : ["spec"]),
    ...(isReported ? ["status"] : []),
  ];
}

function managedObjects(manifest: readonly ManifestObject[]): readonly ManifestObject[] | undefined {
  const cluster = manifest.find(isCluster);
  const reference = valueAt(cluster?.value, "spec.infrastructureRef");
  const infra = manifest.find(
    ({ kind, name }) => kind === valueAt(reference, "kind") && name === valueAt(reference, "name"),
  );
  if (cluster === undefined || infra === undefined || !isObject(reference)) return undefined;
  return [
    renamed(cluster, {}, { infrastructureRef: { ...reference, name: NAME } }),
    renamed(infra, { annotations: MANAGED_BY, labels: MANAGED_BY }),
  ];
}

/** A copy with another name, and without what else its metadata says. */
function renamed(
  object: ManifestObject,
  metadata: object,
  spec: unknown = valueAt(object.value, "spec"),
): ManifestObject {
  const namespace = valueAt(object.value, "metadata.namespace");
  const value = { ...object.value, metadata: { ...metadata, namespace, name: NAME }, spec };
  return { ...object, name: NAME, value };
}

/** Pauses everything by the Cluster. */
export async function pauseByCluster(stage: Stage): Promise<PauseTrial> {
  stage.options.note("paused by spec.paused of the Cluster");
  await setPaused(stage, true);
  return runTrial(stage, { by: "Cluster", unpause: () => setPaused(stage, false) });
}

/** Pauses every provider object by its annotation. */
export async function pauseByAnnotation(stage: Stage): Promise<PauseTrial> {
  const objects = objectsIn(stage.scratch.roleOf, await stage.watcher.look());
  stage.options.note("paused by the annotation of each object");
  for (const object of objects) await annotate(stage, object, { [PAUSED_ANNOTATION]: "true" });
  const unpause = async () => {
    for (const object of objects) await annotate(stage, object, {});
  };
  return runTrial(stage, { by: "annotation", unpause });
}

/** Applies all annotations by a manager of its own: that of the manifest would lose every other field. */
async function annotate(
  { scratch }: Stage,
  object: KubeObject,
  annotations: { readonly [key: string]: string },
): Promise<void> {
  const kind = kindIn(scratch.kinds, object);
  const { name, uid } = object.metadata;
  const { namespace } = scratch;
  // An apply would recreate an object that is gone.
  const found = kind && (await scratch.client.get(kind, { namespace, name }));
  if (kind === undefined || found?.metadata.uid !== uid) return;
  const metadata = { name, namespace, uid, annotations };
  const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  await scratch.server.as("contract-pause").apply(kind, { namespace, name }, body);
}

interface Pause extends Pick<PauseTrial, "by"> {
  readonly unpause: () => Promise<void>;
}

async function runTrial(stage: Stage, { by, unpause }: Pause): Promise<PauseTrial> {
  const { options, watcher } = stage;
  const targets = new Set(objectsIn(stage.scratch.roleOf, await watcher.look()).map(titleOf));
  const saidPaused = await saying(stage, "True", { targets, limitMs: options.restMs });
  const before = await stage.quiet();
  const changed = [...(await scalePool(stage, before)), ...(await mutate(stage, before))];
  await watcher.rest(options.restMs);
  const after = await watcher.look();
  await unpause();
  options.note("unpaused");
  const saidResumed = await saying(stage, "False", { targets: saidPaused, limitMs: options.limitMs });
  const waiting = new Map(changed.map((each) => [each.title, each]));
  await watcher.until((snapshot) => {
    for (const { title, isActedOn } of waiting.values())
      if (isActedOn(snapshot, after)) waiting.delete(title);
    return waiting.size === 0;
  });
  await stage.quiet();
  const changes = new Map(
    changed.map(({ title, what }) => [title, { what, actedOn: !waiting.has(title) }] as const),
  );
  return { by, targets, before, after, saidPaused, saidResumed, changes };
}

/** Returns the titles of targets that have said it; one that is gone has nothing to say. */
async function saying(
  { watcher }: Stage,
  status: "True" | "False",
  { targets, limitMs }: { readonly targets: ReadonlySet<string>; readonly limitMs: number },
): Promise<ReadonlySet<string>> {
  const said = new Set<string>();
  await watcher.until((snapshot) => {
    for (const title of targets) {
      const target = snapshot.get(title);
      if (target === undefined || says(target, status)) said.add(title);
    }
    return said.size === targets.size;
  }, limitMs);
  return said;
}

/** A change during a pause. */
interface Changed {
  /** The title of the object whose provider acts on it. */
  readonly title: string;
  readonly what: string;
  readonly isActedOn: (snapshot: Snapshot, paused: Snapshot) => boolean;
}

async function scalePool(stage: Stage, snapshot: Snapshot): Promise<readonly Changed[]> {
  const pool = poolIn(snapshot);
  const infra = pool && infraOf(snapshot, pool);
  if (pool === undefined || infra === undefined) return [];
  const replicas = valueAt(pool, "spec.replicas") === 2 ? 3 : 2;
  await setReplicas(stage, pool, replicas);
  const isActedOn = (now: Snapshot) => follows(now, pool, replicas);
  return [{ title: titleOf(infra), what: "spec.replicas of the MachinePool", isActedOn }];
}

/** The second pause takes the value of the first one back. */
async function mutate(stage: Stage, snapshot: Snapshot): Promise<readonly Changed[]> {
  const { scratch, provisioned, options } = stage;
  const { mutation } = options;
  if (mutation === undefined) return [];
  const { path } = mutation;
  const objects = objectsIn(scratch.roleOf, snapshot).filter((object) => valueAt(object, path) !== undefined);
  if (objects.length === 0) throw new LifeEnded(`--mutate: no object of a provider has ${path}`);
  for (const object of objects) {
    const former = valueAt(provisioned.get(titleOf(object)), path);
    const isSet = sameJson(valueAt(object, path), mutation.value);
    const value = isSet && former !== undefined ? former : mutation.value;
    await change(scratch, object, [{ op: "add", path: pointerOf(path), value }]);
  }
  return objects.map((object) => {
    const title = titleOf(object);
    const isActedOn = (now: Snapshot, paused: Snapshot) => changesBelow(title, paused, now).length > 0;
    return { title, what: path, isActedOn };
  });
}
