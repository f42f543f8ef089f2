import { durationGroup, NO_RUNS, type RunCounts } from "../../../shared/runtime/queue/run-counts.ts";

export interface EndedRun {
  /** ms since 1970. */
  readonly startedAt: number;
  readonly failed: boolean;
}

/** Counts the runs of a function since its ledger began; `lua/ledger.lua` has the same for Redis. */
export class RunTally {
  #failures = 0;
  readonly #durations = [...NO_RUNS.durations];

  note(now: number, { startedAt, failed }: EndedRun): void {
    const group = durationGroup(Math.max(0, now - startedAt));
    this.#durations[group] = (this.#durations[group] ?? 0) + 1;
    if (failed) this.#failures += 1;
  }

  counts(): RunCounts {
    return { failures: this.#failures, durations: [...this.#durations] };
  }
}
