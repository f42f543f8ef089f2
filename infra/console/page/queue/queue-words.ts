import type { QueueItem } from "../../api/queue.ts";
import type { MarkName } from "../parts/mark-names.ts";
import { countText } from "../text/amounts.ts";

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
