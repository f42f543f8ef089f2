import { byAge, type Roles } from "./current.ts";
import type { Limits, PlanSet, PlanSpec } from "./plan-types.ts";
import { countsOf, isResizable, type Sizes, sum } from "./sizes.ts";

/** A deployment whose rollouts are paused. */
export interface Paused extends Roles {
  readonly spec: Pick<PlanSpec, "replicas" | "strategy">;
  readonly limits: Limits;
}

/**
 * Returns the sizes while rollouts are paused: no set is made, but sizes follow the wish. The only set in use follows the wish. Of
 * several the largest takes the whole difference, as upstream does: a paused rollout has a reason, and most Machines are
 * of the proven template. When the current set has all that is wanted the others end.
 */
export function paused(facts: Paused): Sizes {
  const { current, old, spec } = facts;
  const inUse = [...(current === undefined ? [] : [current]), ...old].filter(({ replicas }) => replicas > 0);
  if (inUse.length <= 1) return toAll(inUse[0] ?? current ?? old.at(-1), spec.replicas);
  if (isSaturated(current, spec.replicas)) {
    const ending = old.filter((set) => set.replicas > 0 && isResizable(set));
    return new Map(ending.map(({ name }) => [name, { to: 0, why: "saturated" }]));
  }
  return spec.strategy === "OnDelete" ? new Map() : toLargest(inUse.filter(isResizable), inUse, facts);
}

function toAll(set: PlanSet | undefined, replicas: number): Sizes {
  if (set === undefined || !isResizable(set) || set.replicas === replicas) return new Map();
  return new Map([[set.name, { to: replicas, why: "paused-one" }]]);
}

function isSaturated(current: PlanSet | undefined, replicas: number): boolean {
  return (
    current !== undefined &&
    current.replicas === replicas &&
    current.desired === String(replicas) &&
    countsOf(current).available === replicas
  );
}

function toLargest(sets: readonly PlanSet[], inUse: readonly PlanSet[], { spec, limits }: Paused): Sizes {
  if (spec.replicas === 0) {
    return new Map(sets.map(({ name }) => [name, { to: 0, why: "no-longer-wanted" }]));
  }
  const difference = limits.atMost - sum(inUse, ({ replicas }) => replicas);
  const [largest] = sets.toSorted(
    (a, b) => b.replicas - a.replicas || (difference > 0 ? byAge(b, a) : byAge(a, b)),
  );
  if (difference === 0 || largest === undefined) return new Map();
  const to = Math.max(largest.replicas + difference, 0);
  return new Map([[largest.name, { to, why: "paused-spread" }]]);
}
