import type { Run } from "../../api/runs.ts";
import type { HistoryRow } from "./runs.ts";

/** A run in a time line, or the folded runs of one function. */
export interface LaneMark {
  /** The row of the history, and its place from left to right. */
  readonly row: HistoryRow;
  readonly column: number;
  readonly lane: number;
  /** Runs that it stands for, newest first. */
  readonly runs: readonly Run[];
}

export interface TimeLine {
  /** Names of functions from top to bottom: the one that ran first is the first. */
  readonly lanes: readonly string[];
  /** The marks from left to right, then from top to bottom: the oldest first. */
  readonly marks: readonly LaneMark[];
  readonly columns: number;
  /** Columns without a run, each of which stands for a time in which nothing ran. */
  readonly pauses: readonly Pause[];
}

interface Pause {
  readonly column: number;
  /** The time from the end of the run before to that of the next one. */
  readonly ms: number;
}

/** A longer time between two runs is drawn as a pause: runs of one burst follow each other faster. */
const PAUSE_MS = 10_000;

/** The most rows that are drawn, the newest: the list has all. */
const MAX_COLUMNS = 200;

/**
 * Places the rows of a history, newest first: a lane for each function and a column for each row, in their order. Runs come
 * in bursts of milliseconds with hours between them, so that places by their time would lie upon each other: a pause takes
 * one column, which says how long it was.
 */
export function timeLineOf(history: readonly HistoryRow[]): TimeLine {
  const rows = history.slice(0, MAX_COLUMNS).toReversed();
  const lanes: string[] = [];
  const marks: LaneMark[] = [];
  const pauses: Pause[] = [];
  let endedMs = Number.POSITIVE_INFINITY;
  for (const [at, row] of rows.entries()) {
    const runs = row.type === "run" ? [row.run] : row.runs;
    const ends = runs.map(({ endedAt }) => Date.parse(endedAt));
    const ms = Math.min(...ends) - endedMs;
    if (ms >= PAUSE_MS) pauses.push({ column: at + pauses.length, ms });
    endedMs = Math.max(...ends);
    const column = at + pauses.length;
    const byFunction = Map.groupBy(runs, (run) => run.function);
    const placed = [...byFunction].map(([name, own]) => {
      if (!lanes.includes(name)) lanes.push(name);
      return { row, column, lane: lanes.indexOf(name), runs: own };
    });
    marks.push(...placed.toSorted((a, b) => a.lane - b.lane));
  }
  return { lanes, marks, pauses, columns: rows.length + pauses.length };
}

/** The width of a time with its date, in columns. */
const TIME_COLUMNS = 4;

/** Returns the columns below which a time stands: as many as fit beside each other, none below a pause. */
export function timedColumns({ columns, pauses }: Pick<TimeLine, "columns" | "pauses">): readonly number[] {
  const isPause = new Set(pauses.map(({ column }) => column));
  const timed: number[] = [];
  for (let column = 0; column < columns; column += 1) {
    const isFree = column >= (timed.at(-1) ?? -TIME_COLUMNS) + TIME_COLUMNS;
    if (isFree && !isPause.has(column)) timed.push(column);
  }
  return timed;
}

/** Returns the index of the mark that a key leads to from mark `at`; undefined: none. */
export function stepBetween({ marks }: TimeLine, at: number, key: string): number | undefined {
  const from = marks[at];
  if (from === undefined) return undefined;
  switch (key) {
    case "ArrowLeft":
      return marks[at - 1] && at - 1;
    case "ArrowRight":
      return marks[at + 1] && at + 1;
    case "Home":
      return 0;
    case "End":
      return marks.length - 1;
    case "ArrowUp":
      return nearest(marks, from, from.lane - 1);
    case "ArrowDown":
      return nearest(marks, from, from.lane + 1);
    default:
      return undefined;
  }
}

/** The mark of a lane that is nearest in time. */
function nearest(marks: readonly LaneMark[], from: LaneMark, lane: number): number | undefined {
  const distance = (at: number) => Math.abs((marks[at]?.column ?? 0) - from.column);
  return [...marks.keys()]
    .filter((at) => marks[at]?.lane === lane)
    .toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Marks of the runs that caused a run, and of those that it caused. */
export function neighboursOf({ marks }: TimeLine, run: Run) {
  const ids = (runs: readonly ({ readonly runId: string } | null)[]) =>
    new Set(runs.map((one) => one?.runId));
  const [before, after] = [ids(run.causedBy), ids(run.caused)];
  const among = (wanted: ReadonlySet<string | undefined>) =>
    marks.filter((mark) => mark.runs.some(({ runId }) => wanted.has(runId)));
  return { causes: among(before), effects: among(after) };
}
