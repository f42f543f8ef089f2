import type { PlannedFault } from "./plan.ts";
import { type RunResult, runOnce } from "./run.ts";
import { HOUR_MS, type SeedOptions } from "./swarm.ts";

/** A plan that still fails, with as few faults as could be found. */
export interface Shrunk {
  readonly faults: readonly PlannedFault[];
  readonly violations: readonly string[];
}

type Failed = Pick<RunResult, "struck" | "violations">;

/**
 * Drops faults of a failing seed while the same row is violated: halves, quarters, and so on down to single ones.
 * The faults that struck are named by class and site first, so that those that stay strike where they did.
 */
export async function shrink(options: SeedOptions, failed: Failed): Promise<Shrunk> {
  const row = rowOf(failed.violations);
  const faultyMs = HOUR_MS;
  const play = (faults: readonly PlannedFault[]): Promise<RunResult> =>
    runOnce({ ...options, faultyMs, plan: { type: "named", faults } });
  let best: Shrunk = { faults: failed.struck, violations: failed.violations };
  for (let size = Math.ceil(best.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.faults.length; ) {
      const fewer = best.faults.toSpliced(at, size);
      const { violations } = await play(fewer);
      if (rowOf(violations) === row) best = { faults: fewer, violations };
      else at += size;
    }
  }
  return best;
}

/** `F-01` of the first violation. */
function rowOf(violations: readonly string[]): string | undefined {
  return violations[0]?.split(":", 1)[0];
}
