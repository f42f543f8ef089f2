export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** Queue settings of a function, all optional in its spec. */
export interface QueueSettings {
  /** Runs at the same time in one worker process. Default 10. */
  readonly concurrency: number;
  /** Failures until a key is dead. Default 16: about 22 minutes. */
  readonly attempts: number;
  /** A live event on an idle key is due this much later, 0 to 100 ms. Default 0. */
  readonly settleMs: number;
  /** Least time between the claims of two runs of a key when the first sent a request. Default 0. */
  readonly minIntervalMs: number;
  /**
   * Keys of one tenant (workload cluster) that may run at a time in all workers. Default: any number. A function
   * that calls workload servers says at most a quarter of `concurrency`: one that does not answer holds no more.
   */
  readonly maxRunningPerTenant?: number | undefined;
  /**
   * No write leaves later than this after its claim was asked for; the rest of the Decision is left to a run that
   * decides again. For creates, which cannot test an object that they depend on. Default: as long as the lease is held.
   */
  readonly freshMs?: number | undefined;
}

export const DEFAULT_QUEUE: QueueSettings = Object.freeze({
  concurrency: 10,
  attempts: 16,
  settleMs: 0,
  minIntervalMs: 0,
});

const BASE_MS = 100;
const CAP_MS = 5 * MINUTE;

/**
 * Returns the delay after failure number `failures` (from 1): 100 ms, doubled each time, at most 5 min, plus up to 10 %
 * jitter.
 * `random` is in [0, 1). Source: Q-08
 */
export function backoffMs(failures: number, random: number): number {
  const delay = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(delay * (1 + 0.1 * random));
}
