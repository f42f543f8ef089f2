import { type KubeObject, type OwnerReference, titleOf } from "../../shared/api/kinds.ts";
import { sameJson } from "../../shared/api/path.ts";
import { isLetGo } from "../../shared/function/guards.ts";
import type { Version } from "./versions.ts";

/** The server's own, and what Capstan may write to a paused object. */
const ALLOWED: ReadonlySet<string> = new Set([
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.managedFields",
  "status.conditions[Paused]",
  // A move that is repeated writes that of its source again.
  "status.policyUID",
]);

/** Fields that clusterctl changes of an object before it deletes it. */
const LETTING_GO: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.deletionTimestamp",
  "metadata.deletionGracePeriodSeconds",
  "metadata.finalizers",
]);

/**
 * `Kind namespace/name: field` for each field that changed while the only Cluster of a namespace was paused or not there, but for
 * the condition Paused and the fields with which clusterctl pauses and lets go. `versions` in their order.
 */
export function changesWhilePaused(versions: readonly Version[]): readonly string[] {
  const last = new Map<string, KubeObject>();
  const changes: string[] = [];
  let isPaused = true;
  for (const { object, isGone } of versions) {
    const title = titleOf(object.kind, object.metadata);
    const before = last.get(title);
    if (isPaused) changes.push(...changesOf(before, object, isGone).map((field) => `${title}: ${field}`));
    if (isGone) last.delete(title);
    else last.set(title, object);
    if (object.kind === "Cluster") isPaused = isGone || pausedOf(object);
  }
  return changes;
}

function pausedOf(object: KubeObject): boolean {
  return (object as { spec?: { paused?: boolean } }).spec?.paused === true;
}

/** An object that appears while its Cluster is paused is the mover's: what must not be there shows in the end. */
function changesOf(before: KubeObject | undefined, object: KubeObject, isGone: boolean): readonly string[] {
  if (before === undefined) return [];
  if (isGone) return isLetGo(before) ? [] : ["deleted"];
  return changedFields(before, object).filter(
    (field) =>
      !ALLOWED.has(field) &&
      !(object.kind === "Cluster" && field === "spec.paused") &&
      !(isLetGo(object) && LETTING_GO.has(field)),
  );
}

/** Paths such as `metadata.labels`, `status.phase`, `status.conditions[Ready]`. */
function changedFields(before: KubeObject, after: KubeObject): readonly string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].filter((path) => !sameJson(old.get(path), now.get(path)));
}

function fieldsOf(object: KubeObject): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [part, value] of Object.entries(object)) {
    if (typeof value !== "object" || value === null) fields.set(part, value);
    else for (const [name, field] of Object.entries(value)) note(`${part}.${name}`, field);
  }
  function note(path: string, value: unknown): void {
    // Where an object has several owners, clusterctl writes them in any order.
    if (path === "metadata.ownerReferences") fields.set(path, byUid(value as readonly OwnerReference[]));
    else if (path !== "status.conditions") fields.set(path, value);
    else for (const each of value as { type: string }[]) fields.set(`${path}[${each.type}]`, each);
  }
  return fields;
}

function byUid(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  return owners.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
}
