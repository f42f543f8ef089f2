/**
 * Runs that ended for good or by a failure, since the ledger of a function began or has last lost its data. The
 * difference of two says what happened between them.
 */
export interface RunCounts {
  readonly failures: number;
  /** Runs by duration: number i took at most `DURATIONS_MS[i]`, the last one longer. One more than there are limits. */
  readonly durations: readonly number[];
}

/** Upper limits of the first eleven of twelve groups of durations, in ms. */
export const DURATIONS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 30_000] as const;

export const NO_RUNS: RunCounts = Object.freeze({
  failures: 0,
  durations: Object.freeze(Array.from({ length: DURATIONS_MS.length + 1 }, () => 0)),
});

/** Returns the index of the group of a duration. */
export function durationGroup(ms: number): number {
  const found = DURATIONS_MS.findIndex((most) => ms <= most);
  return found < 0 ? DURATIONS_MS.length : found;
}

export function runsIn({ durations }: RunCounts): number {
  return durations.reduce((sum, count) => sum + count, 0);
}

/** Returns what happened between two looks; all of `after` when the ledger has begun again meanwhile. */
export function countsBetween(before: RunCounts, after: RunCounts): RunCounts {
  const durations = after.durations.map((count, group) => count - (before.durations[group] ?? 0));
  const failures = after.failures - before.failures;
  return failures < 0 || durations.some((count) => count < 0) ? after : { failures, durations };
}

/**
 * Returns a duration in ms that this share of the runs has not exceeded, interpolated within its group: at most the limit
 * of the group. Undefined without runs; the last limit where the run was longer than all of them.
 */
export function durationAt(counts: RunCounts, share: number): number | undefined {
  const rank = share * runsIn(counts);
  let below = 0;
  for (const [group, count] of counts.durations.entries()) {
    if (count > 0 && below + count >= rank) {
      const [from, to] = [DURATIONS_MS[group - 1] ?? 0, DURATIONS_MS[group]];
      return to === undefined ? from : from + ((to - from) * Math.max(0, rank - below)) / count;
    }
    below += count;
  }
  return undefined;
}
