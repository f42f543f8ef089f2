import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import { contractRoleOf } from "../../../shared/contract/rules/crd/contract-kinds.ts";
import { identities } from "../../../shared/contract/rules/probe/cache.ts";
import { restOf, statusOf } from "../../../shared/contract/rules/probe/pausing.ts";
import { type Snapshot, titleOf } from "../../../shared/contract/rules/probe/subject.ts";

/** Provider objects with a contract, without templates. */
export function objectsIn(snapshot: Snapshot): readonly KubeObject[] {
  return [...snapshot.values()].filter(({ apiVersion, kind }) => {
    const role = contractRoleOf(groupOf(apiVersion), kind);
    return role !== undefined && !role.isTemplate && role.contractKind !== "IPAMPool";
  });
}

export function templatesIn(snapshot: Snapshot): readonly KubeObject[] {
  return [...snapshot.values()].filter(
    ({ apiVersion, kind }) => contractRoleOf(groupOf(apiVersion), kind)?.isTemplate === true,
  );
}

function coreObjects(snapshot: Snapshot, kind: string): readonly KubeObject[] {
  return [...snapshot.values()].filter(
    (object) => object.kind === kind && groupOf(object.apiVersion) === CLUSTER_GROUP,
  );
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
export function unready(snapshot: Snapshot): readonly string[] {
  const cores = ["Cluster", "MachinePool", "Machine"].flatMap((kind) => coreObjects(snapshot, kind));
  if (cores.length === 0) return ["the manifest has no Cluster"];
  const waiting = cores
    .filter((object) => valueAt(object, "status.initialization.infrastructureProvisioned") !== true)
    .map((object) => `${titleOf(object)} is not provisioned`);
  const counted = [...coreObjects(snapshot, "MachineSet"), ...coreObjects(snapshot, "MachinePool")];
  const short = [...counted, ...objectsIn(snapshot)].flatMap((object) => {
    const [wanted, has = 0] = [valueAt(object, "spec.replicas"), valueAt(object, "status.replicas")];
    if (typeof wanted !== "number" || wanted === has) return [];
    return [`${titleOf(object)} has ${String(has)} of ${wanted} replicas`];
  });
  return [...waiting, ...short];
}

/** Objects that no controller has answered, each with who should have. */
export function silent(snapshot: Snapshot): readonly string[] {
  const isSilent = ({ metadata, ...object }: KubeObject) =>
    valueAt(object, "status.conditions") === undefined && (metadata.finalizers ?? []).length === 0;
  const cores = clustersIn(snapshot).filter(isSilent);
  if (cores.length > 0) {
    return cores.map((object) => `no core has answered ${titleOf(object)}; start Capstan or Cluster API`);
  }
  return objectsIn(snapshot)
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

/** For the generation that the object has. */
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

/** Everything but conditions and the name of the Secret is as it was, and as many objects are there. */
export function isRestored(before: Snapshot, after: Snapshot): boolean {
  return objectsIn(before).every((was) => {
    const title = titleOf(was);
    const is = after.get(title);
    if (is === undefined || identities(title, before).length !== identities(title, after).length)
      return false;
    const has = statusOf(is) as object;
    return Object.entries(statusOf(was) as object).every(
      ([name, value]) => RESTORED_LATER.has(name) || sameJson(value, Reflect.get(has, name)),
    );
  });
}

const RESTORED_LATER: ReadonlySet<string> = new Set(["conditions", "dataSecretName"]);
