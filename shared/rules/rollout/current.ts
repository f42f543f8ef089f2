import { SECOND } from "../../function/backoff.ts";
import { compareText } from "../conditions/conditions.ts";
import type { PlanSet, PlanSpec } from "./plan-types.ts";
import { sameRollout } from "./same-rollout.ts";

/** The current set of a deployment, and the old ones, the oldest first. */
export interface Roles {
  /** The set with the template of the deployment, if there is one. */
  readonly current?: PlanSet | undefined;
  readonly old: readonly PlanSet[];
}

/**
 * Returns the roles of all sets. Current is the largest set of the wished template, of equal ones the oldest; once
 * `rollout.after` is past, the first of them that was made since.
 * Differs: a set that is being deleted is never current; upstream makes no other until it is gone.
 */
export function chooseCurrent(
  { after, rollout }: Pick<PlanSpec, "after" | "rollout">,
  sets: readonly PlanSet[],
  now: number,
): Roles {
  const wanted = sets
    .filter((set) => !set.deleting && sameRollout(set.rollout, rollout))
    .toSorted((a, b) => b.replicas - a.replicas || byAge(a, b));
  const isPast = after !== undefined && after <= now;
  const current = isPast ? wanted.find((set) => isSince(set, after)) : wanted[0];
  return { current, old: sets.filter((set) => set !== current).toSorted(byAge) };
}

/** The oldest first, equal ones by name. */
export function byAge(a: PlanSet, b: PlanSet): number {
  return a.createdAt - b.createdAt || compareText(a.name, b.name);
}

/**
 * Whether a set was made at or after a time. Differs: in whole seconds, as creation times are; and a set that was made
 * for this time counts, whatever the clocks of API server and client say.
 */
export function isSince(
  { createdAt, bornFor }: Pick<PlanSet, "createdAt" | "bornFor">,
  after: number,
): boolean {
  const second = Math.floor(after / SECOND);
  return [createdAt, bornFor ?? 0].some((at) => Math.floor(at / SECOND) >= second);
}
