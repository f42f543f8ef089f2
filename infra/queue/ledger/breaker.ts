import type { EndedRuns } from "../../../shared/runtime/queue/queue-port.ts";
import { BREAKER } from "../limits.ts";
import type { EndedRun } from "./run-tally.ts";

interface Interval {
  runs: number;
  failures: number;
  busyMs: number;
}

/** Slows a function down while most of its runs fail; `lua/ledger.lua` has the same for Redis. */
export class Breaker {
  readonly #intervals = new Map<number, Interval>();
  #nextClaimAt: number | undefined;
  /** The interval in which nothing has been counted since the last look. */
  #settledIn: number | undefined;

  get open(): boolean {
    return this.#nextClaimAt !== undefined;
  }

  /** Counts a run that ended, but not an end by `again`. */
  note(now: number, { startedAt, failed }: EndedRun): void {
    // Old runs first: whether the breaker was open before this run must not depend on when the last tick was.
    this.settle(now);
    const number = Math.floor(now / BREAKER.intervalMs);
    const counts = this.#intervals.get(number) ?? { runs: 0, failures: 0, busyMs: 0 };
    counts.runs += 1;
    counts.busyMs += Math.max(0, now - startedAt);
    if (failed) counts.failures += 1;
    this.#intervals.set(number, counts);
    this.#settledIn = undefined;
    this.settle(now);
  }

  /** Forgets old intervals. */
  settle(now: number): void {
    const number = Math.floor(now / BREAKER.intervalMs);
    // Every event and every end of a run looks here.
    if (number === this.#settledIn) return;
    this.#settledIn = number;
    const first = number - BREAKER.intervals;
    let runs = 0;
    let failures = 0;
    for (const [counted, counts] of this.#intervals) {
      if (counted <= first) this.#intervals.delete(counted);
      else {
        runs += counts.runs;
        failures += counts.failures;
      }
    }
    if (runs < BREAKER.minRuns || failures * 2 <= runs) this.#nextClaimAt = undefined;
    else this.#nextClaimAt ??= now + BREAKER.claimEveryMs;
  }

  /** Returns the runs of the intervals that count; undefined when there are none. */
  lastMinute(now: number): EndedRuns | undefined {
    const first = Math.floor(now / BREAKER.intervalMs) - BREAKER.intervals;
    let runs = 0;
    let busyMs = 0;
    for (const [number, counts] of this.#intervals) {
      if (number <= first) continue;
      runs += counts.runs;
      busyMs += counts.busyMs;
    }
    return runs === 0 ? undefined : { runs, busyMs };
  }

  /** Returns when the next claim may be made; undefined = now. */
  claimAt(now: number): number | undefined {
    return this.#nextClaimAt !== undefined && now < this.#nextClaimAt ? this.#nextClaimAt : undefined;
  }

  /** Counts a claim that has been made: an attempt that found no key with room must not cost the turn of one that has. */
  noteClaim(now: number): void {
    if (this.#nextClaimAt !== undefined) this.#nextClaimAt = now + BREAKER.claimEveryMs;
  }
}
