import type { PlanSet, SetCounts, Why } from "./plan-types.ts";

/** The size that a set gets, and why. */
export interface Size {
  readonly to: number;
  readonly why: Why;
}

/** Planned sizes by the name of the set; a set that is not in it keeps its own. */
export type Sizes = ReadonlyMap<string, Size>;

const NOTHING: SetCounts = { replicas: 0, available: 0, upToDate: 0, observed: false };

export function countsOf({ status = NOTHING }: PlanSet): SetCounts {
  return status;
}

/** Whether the planner may write the size of a set. */
export function isResizable({ deleting, held }: PlanSet): boolean {
  return !deleting && held !== true;
}

export function plannedSize(set: PlanSet, sizes: Sizes): number {
  return sizes.get(set.name)?.to ?? set.replicas;
}

export function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((so, item) => so + count(item), 0);
}

/** Machines that are there or will be: those of the larger of size and counted Machines, over all sets. */
export function totalOf(sets: readonly PlanSet[]): number {
  return sum(sets, (set) => Math.max(set.replicas, countsOf(set).replicas));
}
