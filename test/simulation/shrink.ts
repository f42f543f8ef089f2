import type { PlannedFault } from "./plan.ts";
import { type RunResult, runOnce } from "./run.ts";
import { HOUR_MS, type SeedOptions } from "./swarm.ts";

/** A plan that still fails, with as few faults as could be found. */
export interface Shrunk {
  readonly faults: readonly PlannedFault[];
  readonly result: RunResult;
}

/**
 * Drops faults of a failing seed while the same row is violated: halves, quarters, and so on down to single ones.
 * The faults that struck are named by class and site first, so that those that stay strike where they did.
 */
export async function shrink(options: SeedOptions, failed: RunResult): Promise<Shrunk> {
  const row = rowOf(failed);
  const faultyMs = HOUR_MS;
  const play = (faults: readonly PlannedFault[]): Promise<RunResult> =>
    runOnce({ ...options, faultyMs, plan: { type: "named", faults } });
  let best: Shrunk = { faults: failed.struck, result: failed };
  for (let size = Math.ceil(best.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.faults.length; ) {
      const fewer = best.faults.toSpliced(at, size);
      const result = await play(fewer);
      if (rowOf(result) === row) best = { faults: fewer, result };
      else at += size;
    }
  }
  return best;
}

/** `F-01` of the first violation. */
function rowOf({ violations }: RunResult): string | undefined {
  return violations[0]?.split(":", 1)[0];
}
