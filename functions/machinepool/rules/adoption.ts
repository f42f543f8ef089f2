import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import {
  controllerOf,
  controllerReference,
  ownerReferencePatch,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";

/**
 * How a provider object stands to the pool that references it. `ours`: the pool controls it, by uid. `none`: nobody
 * does, or the pool under a uid from before a move. `foreign`: somebody else does. `missing`: there is no such
 * object, or none can be told by its CRD.
 */
export type PoolAdoption = "ours" | "none" | "foreign" | "missing";

export function poolAdoption(pool: MachinePool, found: Referenced | undefined): PoolAdoption {
  return found?.state === "found" ? controlOver(pool, found.object) : "missing";
}

/** The same for an object that is there. */
export function controlOver(pool: MachinePool, object: KubeObject): Exclude<PoolAdoption, "missing"> {
  const controller = controllerOf(object);
  if (controller === undefined) return "none";
  if (controller.uid === pool.metadata.uid) return "ours";
  return sameOwner(controller, controllerReference(MachinePool, pool)) ? "none" : "foreign";
}

/** The object whose values count: the pool's own, by uid, so that no foreign ID ever reaches a delete. */
export function ownObject(
  pool: MachinePool,
  found: Referenced | undefined,
): Extract<Referenced, { state: "found" }> | undefined {
  return found?.state === "found" && poolAdoption(pool, found) === "ours" ? found : undefined;
}

/** Operations that make the pool the controller of an object and label it; none for one that is not to be touched. */
export function adoptionPatch(pool: MachinePool, found: Referenced | undefined): readonly PatchOperation[] {
  if (found?.state !== "found" || poolAdoption(pool, found) === "foreign") return [];
  return [
    ...ownerReferencePatch(found.object, controllerReference(MachinePool, pool)),
    ...labelPatch(found.object, CLUSTER_NAME_LABEL, pool.spec.clusterName),
  ];
}

/** Who controls a foreign object: `FooMachinePool p1-infra is controlled by MachinePool p2`. */
export function describeController(object: KubeObject): string {
  const controller = controllerOf(object);
  const by = controller === undefined ? "nobody" : `${controller.kind} ${controller.name}`;
  return `${object.kind} ${object.metadata.name} is controlled by ${by}`;
}
