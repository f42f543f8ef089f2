import type { SamplesAnswer } from "../../api/queue.ts";

/** How a function stood at one instant of the last hour; null: not known. */
export interface HourRow {
  /** ms since 1970. */
  readonly atMs: number;
  readonly runsPerSecond: number | null;
  readonly failuresPerSecond: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly ready: number | null;
  /** How long the oldest ready key had been ready. */
  readonly oldestSeconds: number | null;
  readonly running: number | null;
  readonly waiting: number | null;
  readonly dead: number | null;
}

/** Returns the rows of an hour, oldest first. Counts of a step become rates. */
export function hourRows(samples: SamplesAnswer): readonly HourRow[] {
  const { stepMs, runs, failures, p50Ms, p99Ms, oldestReadyMs, ready, running, waiting, dead } = samples;
  const fromMs = Date.parse(samples.from);
  const rate = (count: number | null | undefined): number | null =>
    typeof count === "number" ? (count * 1_000) / stepMs : null;
  return ready.map((_, at) => ({
    atMs: fromMs + at * stepMs,
    runsPerSecond: rate(runs[at]),
    failuresPerSecond: rate(failures[at]),
    p50Ms: p50Ms[at] ?? null,
    p99Ms: p99Ms[at] ?? null,
    ready: ready[at] ?? null,
    oldestSeconds: typeof oldestReadyMs[at] === "number" ? oldestReadyMs[at] / 1_000 : null,
    running: running[at] ?? null,
    waiting: waiting[at] ?? null,
    dead: dead[at] ?? null,
  }));
}

/** Whether anything is known of the hour. */
export function isKnown(rows: readonly HourRow[]): boolean {
  return rows.some(({ ready }) => ready !== null);
}
