import type { Job, Trial } from "../../api/actions.ts";
import type { QueueItem } from "../../api/queue.ts";
import type { MarkName } from "../parts/mark-names.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns an age or a delay as kubectl prints it: `45s`, `12m`, `5h`, `3d`; negative ones are `0s`. */
export function ageText(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)}h` : `${Math.floor(ms / DAY)}d`;
}

/** Returns how long something took: `12 ms`, `1.4 s`, `3.2 min`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  return ms < MINUTE ? `${(ms / SECOND).toFixed(1)} s` : `${(ms / MINUTE).toFixed(1)} min`;
}

/** Returns a count, a whole number, with separated thousands: `10,000`. */
export function countText(count: number): string {
  // Not toLocaleString: its first call loads tables for 20 to 40 ms, longer than all rows of the first page take.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Returns `1 Machine`, `983 Machines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Returns the object of a key: `default/c1|Machine|default/m1` → `Machine default/m1`; other keys as they are. */
export function objectOfKey(key: string): string {
  const [, kind, object] = key.split("|");
  return kind === undefined || object === undefined ? key : `${kind} ${object}`;
}

/** Returns the namespace of a key: `default/c1|Machine|default/m1` → `default`; undefined for a malformed one. */
export function namespaceOfKey(key: string): string | undefined {
  const [, , object] = key.split("|");
  return object?.includes("/") === true ? object.slice(0, object.indexOf("/")) : undefined;
}

/** How a function's queue stands: the worst of what is known about it. */
interface QueueState {
  readonly mark: MarkName;
  readonly word: string;
}

/** Older keys show that workers are missing or too slow: /scale wants as many as take a live one within 5 s. */
const LATE_MS = { live: 5_000, resync: 30_000 };

/** Returns the state of a queue in words. */
export function queueState(item: QueueItem): QueueState {
  const { paused, pausedInBullmq, breakerOpen, dead, ready, oldestReadyMs = {}, unserved } = item;
  const { live = 0, resync = 0 } = oldestReadyMs;
  if (paused === true) return { mark: "paused", word: "Paused by a person" };
  if (pausedInBullmq === true) return { mark: "paused", word: "Paused in BullMQ" };
  if (unserved === true) return { mark: ready > 0 ? "waiting" : "unknown", word: "No worker is seen" };
  if (breakerOpen === true) return { mark: "failing", word: "Most runs fail" };
  if (dead > 0) return { mark: "dead", word: "Has dead keys" };
  if (ready > 0 && (live > LATE_MS.live || resync > LATE_MS.resync))
    return { mark: "waiting", word: "Behind" };
  return { mark: "healthy", word: "Keeps up" };
}

/** Returns where the keys are that are not idle: `2 dead, 48 ready, 1 running, 0 waiting`. */
export function queueCounts({ dead, ready, running, waiting }: QueueItem): string {
  return `${countText(dead)} dead, ${countText(ready)} ready, ${countText(running)} running, ${countText(waiting)} waiting`;
}

/** Returns why ready keys do not run at once; undefined: nothing holds them up. */
export function queueHold(item: QueueItem): string | undefined {
  const { function: name, paused, pausedInBullmq, breakerOpen, unserved } = item;
  if (paused === true) return "Paused by a person: no run begins until it is resumed.";
  if (pausedInBullmq === true)
    return "Paused by BullMQ's own queue.pause(): no run begins until queue.resume() is called there.";
  if (unserved === true)
    return `No worker for it gives a sign of life: start one with capstan worker --functions ${name}.`;
  if (breakerOpen !== true) return undefined;
  // The breaker of the queue counts so.
  return "More than half of the runs of the last minute failed: until that is over, one run begins per second.";
}

/** Returns the age of the oldest ready key, in milliseconds; undefined when none is ready or that is not known. */
export function oldestMs({ ready, oldestReadyMs = {} }: QueueItem): number | undefined {
  const oldest = Math.max(oldestReadyMs.live ?? -1, oldestReadyMs.resync ?? -1);
  return ready === 0 || oldest < 0 ? undefined : oldest;
}

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

export type Verdict = keyof Trial["verdicts"];

export const VERDICTS = [
  "succeeds",
  "fails-as-before",
  "differs",
  "unknown",
] as const satisfies readonly Verdict[];

export const VERDICT_TITLES: { readonly [verdict in Verdict]: string } = {
  succeeds: "Would succeed",
  "fails-as-before": "Fails as before",
  differs: "Fails otherwise",
  unknown: "Cannot be judged",
};

export const VERDICT_MARKS: { readonly [verdict in Verdict]: MarkName } = {
  succeeds: "healthy",
  "fails-as-before": "failing",
  differs: "failing",
  unknown: "unknown",
};

const WORDS: { readonly [verdict in Verdict]: readonly [one: string, many: string] } = {
  succeeds: ["would succeed", "would succeed"],
  "fails-as-before": ["fails as before", "fail as before"],
  differs: ["fails otherwise", "fail otherwise"],
  unknown: ["cannot be judged", "cannot be judged"],
};

/** Returns the verdict on so many letters: `fails as before`, `fail as before`. */
export function verdictText(verdict: Verdict, count: number): string {
  return WORDS[verdict][count === 1 ? 0 : 1];
}

/** Returns `3,988 would succeed, 12 fail as before`; empty when nothing has been tried. */
export function trialText({ verdicts }: Pick<Trial, "verdicts">): string {
  return VERDICTS.filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${countText(verdicts[verdict])} ${verdictText(verdict, verdicts[verdict])}`)
    .join(", ");
}
