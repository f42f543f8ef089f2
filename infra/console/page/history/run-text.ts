import type { Run } from "../../api/runs.ts";
import { countText } from "../text/amounts.ts";

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
