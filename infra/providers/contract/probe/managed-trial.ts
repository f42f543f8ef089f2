import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../../shared/api/path.ts";
import type { ManagedTrial } from "../../../../shared/contract/rules/probe/subject.ts";
import { isObject } from "../../../platform/kube/object-shape.ts";
import { applyManifest, isCluster, type ManifestObject } from "./manifest.ts";
import { remove } from "./removal.ts";
import type { Stage } from "./stage.ts";
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
