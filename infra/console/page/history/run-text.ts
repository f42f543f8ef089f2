import type { Run } from "../../api/runs.ts";
import { countText } from "../text/amounts.ts";

/** How a run ended, for people. */
interface RunText {
  readonly mark: "failing" | "progressing" | "waiting" | "healthy";
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
}: Run): RunText {
  const times = count > 1 ? `${countText(count)} × ` : "";
  if (outcome === "error") {
    const why = failure === undefined ? "" : `: ${failure.reason}: ${failure.message}`;
    return { mark: "failing", text: `${times}failed${why}` };
  }
  if (outcome === "again") return { mark: "waiting", text: `${times}put off until newer data had come` };
  const [first, ...others] = writes;
  if (first !== undefined) {
    const more = others.length + moreWrites === 0 ? "" : ` and ${countText(others.length + moreWrites)} more`;
    return { mark: "progressing", text: `${times}${writeText(first)}${more}` };
  }
  if (waitingFor !== undefined) return { mark: "waiting", text: `${times}waits: ${waitingFor}` };
  return { mark: "healthy", text: `${times}nothing to do` };
}

/** `apply MachinePool/status default/p1`. */
function writeText({ verb, what, subresource, cluster }: Run["writes"][number]): string {
  const target = subresource === undefined ? what : what.replace(" ", `/${subresource} `);
  return `${verb} ${target}${cluster === "management" ? "" : ` in ${cluster}`}`;
}
