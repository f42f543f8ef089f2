import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../../shared/api/path.ts";
import { identities, lostPaths } from "../../../../shared/contract/rules/probe/cache.ts";
import { coreObjects } from "../../../../shared/contract/rules/probe/life-views.ts";
import { restOf } from "../../../../shared/contract/rules/probe/pausing.ts";
import { type Snapshot, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import type { RoleOf } from "./scratch.ts";

/** Returns the provider objects with a contract, without templates. */
export function objectsIn(roleOf: RoleOf, snapshot: Snapshot): readonly KubeObject[] {
  return [...snapshot.values()].filter((object) => {
    const role = roleOf(object);
    return role !== undefined && !role.isTemplate && role.contractKind !== "IPAMPool";
  });
}

/** Pools of a provider of addresses, which are not of the Cluster. */
export function addressPoolsIn(roleOf: RoleOf, snapshot: Snapshot): readonly KubeObject[] {
  return [...snapshot.values()].filter((object) => roleOf(object)?.contractKind === "IPAMPool");
}

export function templatesIn(roleOf: RoleOf, snapshot: Snapshot): readonly KubeObject[] {
  return [...snapshot.values()].filter((object) => roleOf(object)?.isTemplate === true);
}

export function clustersIn(snapshot: Snapshot): readonly KubeObject[] {
  return coreObjects(snapshot, "Cluster");
}

export function poolIn(snapshot: Snapshot): KubeObject | undefined {
  return coreObjects(snapshot, "MachinePool")[0];
}

export function infraOf(snapshot: Snapshot, pool: KubeObject): KubeObject | undefined {
  const path = "spec.template.spec.infrastructureRef";
  return snapshot.get(`${valueAt(pool, `${path}.kind`)} ${valueAt(pool, `${path}.name`)}`);
}

/** Objects that are not as they were asked for, each with its reason. */
export function unready(roleOf: RoleOf, snapshot: Snapshot): readonly string[] {
  const cores = ["Cluster", "MachinePool", "Machine"].flatMap((kind) => coreObjects(snapshot, kind));
  if (cores.length === 0) return ["the manifest has no Cluster"];
  const waiting = cores
    .filter((object) => valueAt(object, "status.initialization.infrastructureProvisioned") !== true)
    .map((object) => `${titleOf(object)} is not provisioned`);
  const counted = [...coreObjects(snapshot, "MachineSet"), ...coreObjects(snapshot, "MachinePool")];
  const short = [...counted, ...objectsIn(roleOf, snapshot)].flatMap((object) => {
    const [wanted, has = 0] = [valueAt(object, "spec.replicas"), valueAt(object, "status.replicas")];
    if (typeof wanted !== "number" || wanted === has) return [];
    return [`${titleOf(object)} has ${String(has)} of ${wanted} replicas`];
  });
  return [...waiting, ...short];
}

/** Objects that no controller has answered, each with who should have. */
export function silent(roleOf: RoleOf, snapshot: Snapshot): readonly string[] {
  const isSilent = ({ metadata, ...object }: KubeObject) =>
    valueAt(object, "status.conditions") === undefined && (metadata.finalizers ?? []).length === 0;
  const cores = clustersIn(snapshot).filter(isSilent);
  if (cores.length > 0) {
    return cores.map((object) => `no core has answered ${titleOf(object)}; start Capstan or Cluster API`);
  }
  return objectsIn(roleOf, snapshot)
    .filter((object) => isSilent(object) && (object.metadata.ownerReferences ?? []).length > 0)
    .map((object) => `no provider has answered ${titleOf(object)}; start the provider of ${object.kind}`);
}

export function follows(snapshot: Snapshot, { metadata }: KubeObject, replicas: number): boolean {
  const pool = snapshot.get(`MachinePool ${metadata.name}`);
  const infra = pool && infraOf(snapshot, pool);
  if (infra === undefined) return false;
  const list = valueAt(infra, "spec.providerIDList");
  const listed = Array.isArray(list) ? new Set(list).size : 0;
  const counts = [listed, valueAt(infra, "status.replicas"), valueAt(pool, "status.replicas")];
  return counts.every((count) => count === replicas);
}

/** Whether the object says so for the generation that the object has. */
export function says(object: KubeObject, status: "True" | "False"): boolean {
  const observed = valueAt(object, "status.conditions[Paused].observedGeneration");
  const isCurrent = observed === undefined || observed === object.metadata.generation;
  return isCurrent && valueAt(object, "status.conditions[Paused].status") === status;
}

export function sameState(a: Snapshot, b: Snapshot): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([title, object]) => {
    const other = b.get(title);
    if (other === undefined) return false;
    const isSame = object.metadata.resourceVersion === other.metadata.resourceVersion;
    return isSame || sameJson(restOf(object), restOf(other));
  });
}

/** Every field that a wiped status has to get back is as it was, and as many objects are there. */
export function isRestored(roleOf: RoleOf, before: Snapshot, after: Snapshot): boolean {
  return objectsIn(roleOf, before).every((was) => {
    const title = titleOf(was);
    const is = after.get(title);
    return (
      is !== undefined &&
      lostPaths(was, is).length === 0 &&
      identities(title, before).length === identities(title, after).length &&
      (valueAt(was, SECRET_NAME) === undefined || valueAt(is, SECRET_NAME) !== undefined)
    );
  });
}

/** Whether an object says that it is provisioned or, of a control plane, initialized. */
export function isReady(roleOf: RoleOf, object: KubeObject): boolean {
  const paths = roleOf(object)?.contractKind === "ControlPlane" ? INITIALIZED : PROVISIONED;
  return paths.some((path) => valueAt(object, path) === true);
}

const INITIALIZED = ["status.initialization.controlPlaneInitialized", "status.initialized"];
const PROVISIONED = ["status.initialization.provisioned", "status.ready"];
const SECRET_NAME = "status.dataSecretName";
