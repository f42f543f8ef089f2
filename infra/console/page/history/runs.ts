import type { Run } from "../../api/runs.ts";
import { countText } from "../text/words.ts";

export type RunLook = "failed" | "postponed" | "wrote" | "waits" | "idle";

/** How a run ended, for people. */
interface RunText {
  /** How it is drawn, in the time line and in the list: shapes differ, not only colours (8-lanes.css). */
  readonly look: RunLook;
  readonly text: string;
}

/** Returns what a run, or the equal idle runs that an entry stands for, did. */
export function runText({
  outcome,
  failure,
  writes,
  moreWrites = 0,
  times: count = 1,
  waitingFor,
  afterMs,
}: Run): RunText {
  const times = count > 1 ? `${countText(count)} × ` : "";
  if (outcome === "error") {
    const why = failure === undefined ? "" : `: ${failure.reason}: ${failure.message}`;
    return { look: "failed", text: `${times}failed${why}` };
  }
  if (outcome === "again") return { look: "postponed", text: `${times}postponed until newer data arrived` };
  const [first, ...others] = writes;
  if (first !== undefined) {
    const more = others.length + moreWrites === 0 ? "" : ` and ${countText(others.length + moreWrites)} more`;
    return { look: "wrote", text: `${times}${writeText(first)}${more}` };
  }
  // Its time is known: it is not held up.
  if (afterMs !== undefined)
    return {
      look: "idle",
      text: `${times}runs again by itself${waitingFor === undefined ? "" : `: ${waitingFor}`}`,
    };
  if (waitingFor !== undefined) return { look: "waits", text: `${times}waits: ${waitingFor}` };
  return { look: "idle", text: `${times}nothing to do` };
}

/** Returns `apply MachinePool/status default/p1`. */
function writeText({ verb, what, subresource, cluster }: Run["writes"][number]): string {
  const target = subresource === undefined ? what : what.replace(" ", `/${subresource} `);
  return `${verb} ${target}${cluster === "management" ? "" : ` in ${cluster}`}`;
}

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
