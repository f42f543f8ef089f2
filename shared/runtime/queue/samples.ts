import type { RunCounts } from "./run-counts.ts";

/** How the queue of a function stood at one instant. */
export interface Sample extends RunCounts {
  /** ms since 1970, a multiple of SAMPLE_EVERY_MS. */
  readonly at: number;
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** How long the longest ready key had been ready; 0 when none was. */
  readonly oldestReadyMs: number;
}

/** The word in place of the name of a function, which has a hyphen: all of them together. */
export const ALL_FUNCTIONS = "all";

export const SAMPLE_EVERY_MS = 10_000;
/** An hour. */
export const SAMPLES_KEPT = 360;
export const SAMPLES_KEPT_MS = SAMPLES_KEPT * SAMPLE_EVERY_MS;

/** One row per function and 10 s, for an hour. Rows are notes for people: one that cannot be written is missing. */
export interface Samples extends AsyncDisposable {
  /** The last one of an instant wins: several processes note the same ledger. */
  note(functionName: string, sample: Sample): Promise<void>;
  /** The rows of so long, oldest first; default and most: the last hour. */
  read(functionName: string, lastMs?: number): Promise<readonly Sample[]>;
}
