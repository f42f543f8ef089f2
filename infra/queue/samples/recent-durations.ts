import { countsBetween, durationAt, runsIn } from "../../../shared/runtime/queue/run-counts.ts";
import type { Sample } from "../../../shared/runtime/queue/samples.ts";

/** How long runs took, in milliseconds. */
interface RecentDurations {
  readonly runs: number;
  /** The time than which half of the runs, and then 99 of 100, took no longer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Returns the durations of the runs between the first and the last sample; undefined where no run is known. */
export function recentDurations(samples: readonly Sample[]): RecentDurations | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const counted = countsBetween(first, last);
  const [p50Ms, p99Ms] = [durationAt(counted, 0.5), durationAt(counted, 0.99)];
  if (p50Ms === undefined || p99Ms === undefined) return undefined;
  return { runs: runsIn(counted), p50Ms, p99Ms };
}
