import type { Limits, PlanSpec } from "./plan-types.ts";

const PERCENT = /^(-?\d{1,9})%$/;
const DEFAULT_SURGE = 1;
const DEFAULT_UNAVAILABLE = 0;

type Limited = Pick<PlanSpec, "replicas" | "strategy" | "maxSurge" | "maxUnavailable">;

/**
 * Returns the limits of a rollout. A percentage of surge is rounded up, one of unavailable Machines down. If both come to
 * 0, one Machine may be unavailable: nothing could move otherwise. OnDelete has neither. A text that is not a percentage
 * counts as 0.
 */
export function limits({ replicas, strategy, maxSurge, maxUnavailable }: Limited): Limits {
  const isRolling = strategy === "RollingUpdate";
  const surge = isRolling ? share(maxSurge ?? DEFAULT_SURGE, replicas, Math.ceil) : 0;
  const wished = isRolling ? share(maxUnavailable ?? DEFAULT_UNAVAILABLE, replicas, Math.floor) : 0;
  const unavailable = Math.min(isRolling && surge === 0 && wished === 0 ? 1 : wished, replicas);
  return {
    surge,
    unavailable,
    atLeast: Math.max(replicas - unavailable, 0),
    atMost: replicas + surge,
  };
}

function share(limit: number | string, replicas: number, round: (count: number) => number): number {
  if (typeof limit === "number") return limit;
  const percent = Number(PERCENT.exec(limit)?.[1] ?? 0);
  return round((percent * replicas) / 100);
}
