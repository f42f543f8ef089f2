import { countText, durationText } from "../text/amounts.ts";
import type { HourRow } from "./hour-rows.ts";

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
