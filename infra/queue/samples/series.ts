import { countsBetween, durationAt, runsIn } from "../../../shared/runtime/queue/run-counts.ts";
import { SAMPLE_EVERY_MS, type Sample } from "../../../shared/runtime/queue/samples.ts";

type Column = readonly (number | null)[];

/** Samples as columns of a plot, a row per 10 s; null where nothing is known. */
export interface Series {
  readonly stepMs: number;
  /** The time of the first row, ms since 1970. */
  readonly from: number;
  readonly ready: Column;
  readonly waiting: Column;
  readonly running: Column;
  readonly dead: Column;
  readonly oldestReadyMs: Column;
  /** The runs of the 10 s before each row. */
  readonly runs: Column;
  readonly failures: Column;
  /** The time than which half of the runs, and then 99 of 100, took no longer; null without runs. */
  readonly p50Ms: Column;
  readonly p99Ms: Column;
}

/** Returns the rows from the first sample to the last one. `now`, ms since 1970: of the row of no samples. */
export function seriesOf(samples: readonly Sample[], now: number): Series {
  const byTime = new Map(samples.map((sample) => [sample.at, sample]));
  const from = samples[0]?.at ?? now;
  const length = samples.length === 0 ? 0 : ((samples.at(-1)?.at ?? from) - from) / SAMPLE_EVERY_MS + 1;
  const times = Array.from({ length }, (_, row) => from + row * SAMPLE_EVERY_MS);
  const column = (pick: (sample: Sample) => number): Column =>
    times.map((at) => {
      const sample = byTime.get(at);
      return sample === undefined ? null : pick(sample);
    });
  const counts = times.map((at) => {
    const [before, after] = [byTime.get(at - SAMPLE_EVERY_MS), byTime.get(at)];
    return before === undefined || after === undefined ? undefined : countsBetween(before, after);
  });
  const between = (pick: (counted: NonNullable<(typeof counts)[number]>) => number | undefined): Column =>
    counts.map((counted) => (counted === undefined ? null : (pick(counted) ?? null)));
  return {
    stepMs: SAMPLE_EVERY_MS,
    from,
    ready: column(({ ready }) => ready),
    waiting: column(({ waiting }) => waiting),
    running: column(({ running }) => running),
    dead: column(({ dead }) => dead),
    oldestReadyMs: column(({ oldestReadyMs }) => oldestReadyMs),
    runs: between(runsIn),
    failures: between(({ failures }) => failures),
    p50Ms: between((counted) => durationAt(counted, 0.5)),
    p99Ms: between((counted) => durationAt(counted, 0.99)),
  };
}
