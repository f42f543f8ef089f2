import { describe, expect, it } from "vitest";
import type { QueueItem } from "../../../../../infra/console/api/queue.ts";
import {
  ageText,
  counted,
  countText,
  durationText,
  jobText,
  jobTitle,
  namespaceOfKey,
  objectOfKey,
  oldestMs,
  queueCounts,
  queueHold,
  queueState,
  trialText,
} from "../../../../../infra/console/page/text/words.ts";

describe("amounts for people", () => {
  it("writes ages as kubectl does", () => {
    const cases = [-5_000, 0, 45_000, 119_999, 120_000, 7_199_000, 7_200_000, 172_799_000, 172_800_000];
    expect(cases.map(ageText)).toEqual(["0s", "0s", "45s", "119s", "2m", "119m", "2h", "47h", "2d"]);
  });

  it("writes durations with their unit", () => {
    expect([0.26, 8.44, 12.4, 999, 1_400, 192_000].map(durationText)).toEqual([
      ...["0.3 ms", "8.4 ms", "12 ms", "999 ms", "1.4 s", "3.2 min"],
    ]);
  });

  it("separates thousands", () => {
    expect([0, 999, 1_000, 12_345, 999_999, 1_234_567].map(countText)).toEqual([
      ...["0", "999", "1,000", "12,345", "999,999", "1,234,567"],
    ]);
  });

  it("writes counts with their noun", () => {
    expect([counted(1, "Machine"), counted(10_983, "Machine")]).toEqual(["1 Machine", "10,983 Machines"]);
  });
});

describe("a key in words", () => {
  it("names its object and its namespace", () => {
    expect(objectOfKey("default/c1|Machine|apps/m1")).toBe("Machine apps/m1");
    expect(namespaceOfKey("default/c1|Machine|apps/m1")).toBe("apps");
  });

  it("is shown as it is when it is malformed, and is in no namespace", () => {
    for (const key of ["", "x", "a|b", "default/c1|Machine|m1"]) expect(namespaceOfKey(key)).toBeUndefined();
    expect(objectOfKey("x")).toBe("x");
  });
});

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

const JOB = { action: "requeue", state: "running", total: 198, done: 98, changed: 0 } as const;

describe("a bulk action in words", () => {
  it.each([
    ["Running: 98 requeued", JOB],
    ["Running: 98 requeued, 1 had changed and was left alone", { ...JOB, changed: 1 }],
    ["Stopped: 98 requeued, 100 are left", { ...JOB, state: "stopped" }],
    [
      "Failed: 98 dropped, 99 had changed and were left alone, 1 is left",
      { ...JOB, action: "drop", state: "failed", changed: 99 },
    ],
    ["Done: 198 requeued", { ...JOB, state: "done", done: 198 }],
  ] as const)("%s", (text, job) => {
    expect(jobText(job)).toBe(text);
  });

  it("names what it does and for how many", () => {
    expect(jobTitle(JOB)).toBe("Requeue of 198 letters");
    expect(jobTitle({ action: "drop", total: 1 })).toBe("Drop of 1 letter");
  });
});

const NONE = { succeeds: 0, "fails-as-before": 0, differs: 0, unknown: 0 };

describe("a trial in words", () => {
  it.each([
    ["3,988 would succeed, 12 fail as before", { ...NONE, succeeds: 3_988, "fails-as-before": 12 }],
    [
      "1 fails as before, 1 fails otherwise, 2 cannot be judged",
      { succeeds: 0, "fails-as-before": 1, differs: 1, unknown: 2 },
    ],
    ["", NONE],
  ])("%s", (text, verdicts) => {
    expect(trialText({ verdicts })).toBe(text);
  });
});
