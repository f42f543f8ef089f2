import type { SamplesAnswer } from "../../api/queue.ts";
import { countText, durationText } from "../text/words.ts";

type Measure = Exclude<keyof HourRow, "atMs">;

/** One line of a plot. Lines differ in colour and in how they are drawn, never by colour alone. */
interface Series {
  readonly title: string;
  readonly of: Measure;
  readonly tone: "accent" | "bad" | "warn" | "good";
  readonly isDashed: boolean;
}

/** Lines on one scale. */
export interface PlotSpec {
  readonly title: string;
  readonly series: readonly Series[];
  readonly textOf: (value: number) => string;
}

/** Plots of the last hour of a function. */
export const PLOTS: readonly PlotSpec[] = [
  {
    title: "Runs per second",
    textOf: rateText,
    series: [
      { title: "Runs", of: "runsPerSecond", tone: "accent", isDashed: false },
      { title: "Failures", of: "failuresPerSecond", tone: "bad", isDashed: true },
    ],
  },
  {
    title: "Duration of a run",
    textOf: durationText,
    series: [
      { title: "Half at most (p50)", of: "p50Ms", tone: "accent", isDashed: false },
      { title: "99 % at most (p99)", of: "p99Ms", tone: "warn", isDashed: true },
    ],
  },
  {
    title: "Keys",
    textOf: countText,
    series: [
      { title: "Ready", of: "ready", tone: "accent", isDashed: false },
      { title: "Running", of: "running", tone: "good", isDashed: true },
      { title: "Dead", of: "dead", tone: "bad", isDashed: true },
    ],
  },
];

/** How all functions together stand. */
export const QUEUE_PLOT: PlotSpec = {
  title: "All functions",
  textOf: rateText,
  series: [
    { title: "Ready keys", of: "ready", tone: "accent", isDashed: false },
    { title: "Oldest of them, seconds", of: "oldestSeconds", tone: "warn", isDashed: true },
    { title: "Runs per second", of: "runsPerSecond", tone: "good", isDashed: false },
    { title: "Failures per second", of: "failuresPerSecond", tone: "bad", isDashed: true },
  ],
};

/** Returns `0`, `0.3`, `12`: three digits say enough. */
export function rateText(perSecond: number): string {
  return countText(Number(perSecond.toPrecision(3)));
}

/** Returns the newest value of a line, and the greatest. */
export function summaryOf(rows: readonly HourRow[], measure: Measure) {
  const known = rows.flatMap((row) => row[measure] ?? []);
  return {
    newest: rows.at(-1)?.[measure] ?? undefined,
    greatest: known.length === 0 ? undefined : Math.max(...known),
  };
}

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

/** Returns the places of values between unknown ones: no line reaches them. */
export function loneValues(values: ArrayLike<unknown>): number[] {
  const isKnown = (at: number): boolean => typeof values[at] === "number";
  return Array.from({ length: values.length }, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}
