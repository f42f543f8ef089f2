import type { KubeObject } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { controllerReference } from "../../../shared/rules/metadata/owner-references.ts";
import { type Claim, controllerAgainst, isOurs, ownAmong } from "../../../shared/rules/providers/adoption.ts";

/** A pool controls its provider objects, its Machines too. */
export function poolClaim(pool: MachinePool): Claim {
  return {
    owner: controllerReference(MachinePool, pool),
    believes: "controlled",
    clusterName: pool.spec.clusterName,
  };
}

/** Returns the object whose values count: one that the pool controls, so that no foreign ID ever reaches a delete. */
export function ownObject(pool: MachinePool, found: Referenced | undefined): Found | undefined {
  return ownAmong(poolClaim(pool), found);
}

/** Returns whether the pool controls an object, by uid. */
export function isControlled(pool: MachinePool, object: KubeObject): boolean {
  return isOurs(poolClaim(pool), object);
}

/** Returns whether another object than the pool controls an object. */
export function isForeign(pool: MachinePool, object: KubeObject): boolean {
  return controllerAgainst(poolClaim(pool), object) !== undefined;
}
