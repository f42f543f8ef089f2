import type { PlanSet } from "./plan-types.ts";

const NUMBER = /^\d{1,15}$/;

/**
 * Returns the revision of the current set, or of the one to be made: the number after the highest of the old sets, unless
 * its own is higher already. Differs: a revision that is not a number counts as 0; upstream fails on that of the current set.
 */
export function revisionOf(current: PlanSet | undefined, old: readonly PlanSet[]): string {
  const highest = old.reduce((so, set) => Math.max(so, numberOf(set)), 0);
  const own = current === undefined ? 0 : numberOf(current);
  return String(Math.max(own, highest + 1));
}

/** Returns the history of a set whose revision changes: its former revision is appended. */
export function historyOf({ revision, history }: PlanSet): string | undefined {
  return [history, revision].filter((part) => part !== undefined && part !== "").join(",") || undefined;
}

function numberOf({ revision }: PlanSet): number {
  return NUMBER.test(revision ?? "") ? Number(revision) : 0;
}
