import type { Job } from "../../api/actions.ts";
import type { MarkName } from "../parts/mark-names.ts";
import { counted, countText } from "../text/amounts.ts";

type JobFacts = Pick<Job, "action" | "state" | "total" | "done" | "changed">;

export const JOB_MARKS: { readonly [state in Job["state"]]: MarkName } = {
  running: "progressing",
  stopped: "paused",
  done: "healthy",
  failed: "failing",
};

const DONE = { requeue: "requeued", drop: "dropped" } as const;

const STATES: { readonly [state in Job["state"]]: string } = {
  running: "Running",
  stopped: "Stopped",
  done: "Done",
  failed: "Failed",
};

/** Returns how far a bulk action is: `Stopped: 98 requeued, 2 had changed and were left alone, 100 are left`. */
export function jobText({ action, state, total, done, changed }: JobFacts): string {
  const left = total - done - changed;
  const parts = [
    `${countText(done)} ${DONE[action]}`,
    changed === 0 ? "" : `${countText(changed)} had changed and ${changed === 1 ? "was" : "were"} left alone`,
    left === 0 || state === "running" ? "" : `${countText(left)} ${left === 1 ? "is" : "are"} left`,
  ];
  return `${STATES[state]}: ${parts.filter(Boolean).join(", ")}`;
}

/** Returns `Requeue of 3,988 letters`. */
export function jobTitle({ action, total }: Pick<Job, "action" | "total">): string {
  return `${action === "requeue" ? "Requeue" : "Drop"} of ${counted(total, "letter")}`;
}
