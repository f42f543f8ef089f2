const BASE_MS = 500;
const CAP_MS = 30_000;

export interface ReconnectBackoff {
  /** Failures since the last reset. */
  readonly failures: number;
  /**
   * Counts a failure. Returns the pause after it in ms: 0.5 s doubled each time up to 30 s, of which half is jitter.
   */
  next(): number;
  reset(): void;
}

/** Creates the delays between attempts of one watch loop (KR-10). `random` is in [0, 1). */
export function createBackoff(random: () => number): ReconnectBackoff {
  let failures = 0;
  return {
    get failures() {
      return failures;
    },
    next() {
      const delay = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 16));
      failures += 1;
      return delay * (0.5 + random() / 2);
    },
    reset() {
      failures = 0;
    },
  };
}
