import type { User } from "../play/user.ts";
import { pool } from "../workloads/pools.ts";

/** Nothing is done yet. */
export function isCreated(user: User): boolean {
  return pool(user) !== undefined;
}

/** Some Nodes are known. */
export function isGrowing(user: User): boolean {
  return (pool(user)?.status?.nodeRefs?.length ?? 0) > 0;
}

/** More instances are wanted than the workload began with. */
export function isScaledUp(user: User): boolean {
  return (pool(user)?.spec.replicas ?? 0) > 3;
}

/** W-02 has got its ten and wants two. */
export function isScaledDown(user: User): boolean {
  return pool(user)?.spec.replicas === 2;
}

export function isRollingOut(user: User): boolean {
  return pool(user)?.spec.template.spec.bootstrap.configRef?.name === "p1-next";
}

export function isDeleting(user: User): boolean {
  return pool(user)?.metadata.deletionTimestamp !== undefined;
}
