import type { Run } from "../../api/runs.ts";

/** A line of a history: one run, or runs next to each other that had nothing to do. */
export type HistoryRow =
  | { readonly type: "run"; readonly id: string; readonly run: Run }
  | {
      readonly type: "idle";
      readonly id: string;
      readonly runs: readonly Run[];
      /** The number of all of them: each may stand for several. */
      readonly times: number;
    };

/** Returns the rows of runs, newest first; `unfolded` has the ids of rows whose runs are shown one by one. */
export function foldIdle(runs: readonly Run[], unfolded: ReadonlySet<string>): readonly HistoryRow[] {
  const rows: HistoryRow[] = [];
  let idle: Run[] = [];
  const close = (): void => {
    const oldest = idle.at(-1);
    if (oldest === undefined) return;
    const id = `idle ${idOf(oldest)}`;
    if (idle.length === 1 || unfolded.has(id)) rows.push(...idle.map(rowOf));
    else
      rows.push({ type: "idle", id, runs: idle, times: idle.reduce((sum, { times = 1 }) => sum + times, 0) });
    idle = [];
  };
  for (const run of runs) {
    if (isIdle(run)) {
      idle.push(run);
      continue;
    }
    close();
    rows.push(rowOf(run));
  }
  close();
  return rows;
}

/** Identifies a run: an id is of one function. */
export function idOf({ function: name, runId }: Pick<Run, "function" | "runId">): string {
  return `${name} ${runId}`;
}

function rowOf(run: Run): HistoryRow {
  return { type: "run", id: idOf(run), run };
}

/** It had nothing to do, and waits for nothing in particular. */
function isIdle({ outcome, writes, waitingFor, afterMs }: Run): boolean {
  return outcome === "ok" && writes.length === 0 && waitingFor === undefined && afterMs === undefined;
}
