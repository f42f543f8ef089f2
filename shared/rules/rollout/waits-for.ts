import type { Roles } from "./current.ts";
import { limits } from "./limits.ts";
import type { PlanSpec, WaitsFor } from "./plan-types.ts";
import { countsOf, sum, totalOf } from "./sizes.ts";

/**
 * Returns what a rollout waits for that has nothing to do and is not done; `undefined` while rollouts are paused. Machines
 * that go hold it up when the current set is whole or the limit of all Machines is reached.
 */
export function waitsFor(spec: PlanSpec, { current, old }: Roles): WaitsFor | undefined {
  if (spec.paused) return undefined;
  const sets = [...(current === undefined ? [] : [current]), ...old];
  const isWhole = current === undefined || countsOf(current).available >= current.replicas;
  const isGoing = sets.some((set) => set.deleting || countsOf(set).replicas > set.replicas);
  const isFull = (current?.replicas ?? 0) < spec.replicas && totalOf(sets) >= limits(spec).atMost;
  if (isGoing && (isWhole || isFull)) return "deletion";
  const isForUser = spec.strategy === "OnDelete" && sum(old, ({ replicas }) => replicas) > 0;
  return isForUser && isWhole ? "place" : "availability";
}
