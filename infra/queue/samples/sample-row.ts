import { NO_RUNS } from "../../../shared/runtime/queue/run-counts.ts";
import type { Sample } from "../../../shared/runtime/queue/samples.ts";

/** Numbers of a row: five of the queue behind its instant, failures, and the groups of durations. */
export const ROW_LENGTH = 7 + NO_RUNS.durations.length;

export function rowOf(sample: Sample): readonly number[] {
  const { at, ready, waiting, running, dead, oldestReadyMs, failures, durations } = sample;
  return [at, ready, waiting, running, dead, oldestReadyMs, failures, ...durations];
}

/** Returns undefined for a malformed row. */
export function sampleOf(row: readonly number[]): Sample | undefined {
  const [at = 0, ready = 0, waiting = 0, running = 0, dead = 0, oldestReadyMs = 0, failures = 0] = row;
  if (row.length !== ROW_LENGTH || at === 0 || !row.every(Number.isFinite)) return undefined;
  return { at, ready, waiting, running, dead, oldestReadyMs, failures, durations: row.slice(7) };
}
