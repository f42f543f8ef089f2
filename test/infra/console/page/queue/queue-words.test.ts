import { describe, expect, it } from "vitest";
import type { QueueItem } from "../../../../../infra/console/api/queue.ts";
import {
  oldestMs,
  queueCounts,
  queueHold,
  queueState,
} from "../../../../../infra/console/page/queue/queue-words.ts";

const item = (more: Partial<QueueItem>): QueueItem => ({
  function: "f",
  ready: 0,
  waiting: 0,
  running: 0,
  dead: 0,
  ...more,
});

describe("how a queue stands", () => {
  it.each([
    ["Keeps up", { ready: 3, oldestReadyMs: { live: 900 } }],
    ["Keeps up", { ready: 3, oldestReadyMs: { live: 900, resync: 29_000 } }],
    ["Behind", { ready: 3, oldestReadyMs: { live: 5_100 } }],
    ["Behind", { ready: 3, oldestReadyMs: { resync: 31_000 } }],
    ["No worker is seen", { unserved: true }],
    ["No worker is seen", { unserved: true, ready: 1, dead: 1, breakerOpen: true }],
    ["Has dead keys", { dead: 1 }],
    ["Most runs fail", { dead: 1, breakerOpen: true }],
    ["Paused by a person", { paused: true, pausedInBullmq: true, breakerOpen: true }],
    ["Paused in BullMQ", { pausedInBullmq: true, breakerOpen: true }],
  ])("%s", (word, more) => {
    expect(queueState(item(more)).word).toBe(word);
  });

  it("says where keys wait, and what holds them up", () => {
    const waiting = item({ dead: 2, ready: 1_048, running: 1 });
    expect(queueCounts(waiting)).toBe("2 dead, 1,048 ready, 1 running, 0 waiting");
    expect(queueHold(waiting)).toBeUndefined();
    expect(queueHold({ ...waiting, breakerOpen: true })).toContain("one run begins per second");
    expect(queueHold({ ...waiting, breakerOpen: true, paused: true })).toContain("Paused by a person");
    expect(queueHold({ ...waiting, pausedInBullmq: true })).toContain("until queue.resume() is called there");
  });

  it("the oldest key is one that is ready", () => {
    expect(oldestMs(item({ ready: 1, oldestReadyMs: { live: 5, resync: 7 } }))).toBe(7);
    expect(oldestMs(item({ ready: 0, oldestReadyMs: { live: 5 } }))).toBeUndefined();
    expect(oldestMs(item({ ready: 1 }))).toBeUndefined();
  });
});
