import { describe, expect, it } from "vitest";
import type { Api } from "../../../../infra/console/answers.ts";
import type { Interest } from "../../../../infra/console/interest.ts";
import { followChanges } from "../../../../infra/console/stream/changes.ts";
import { createSharedAnswers } from "../../../../infra/console/stream/shared-answers.ts";
import type { Viewer } from "../../../../infra/console/viewer.ts";
import { createMemoryHints } from "../../../../infra/queue/backends/embedded/hints.ts";
import type { Hint } from "../../../../shared/runtime/queue/hints.ts";
import { virtualClock } from "../../../support/clock.ts";

const ANN = { name: "ann", sight: "all" } as Viewer;
const SECOND = 1_000;
const KEY = "a/c1|Machine|a/m1";
const keys = (name: string, ...all: readonly string[]): Hint => ({ of: "keys", function: name, keys: all });
const snapshot = (name: string, cluster = "management"): Hint => ({
  of: "snapshot",
  type: { cluster, group: "cluster.x-k8s.io", kind: "Machine" },
  key: { namespace: "a", name },
});

/** Topics whose answers have these interests, as a stream looks at them each second. */
function world(interests: { readonly [topic: string]: Interest }, isSent = true) {
  const clock = virtualClock();
  const hints = createMemoryHints();
  const reads: string[] = [];
  let lasts = 0;
  let fails = false;
  const api = {
    answer: async (_method: string, target: string) => {
      reads.push(target.slice(1));
      if (lasts > 0) await new Promise<void>((resolve) => clock.after(lasts, resolve));
      if (fails) throw new Error("it is away");
      return { text: "{}", etag: '"1"', interest: () => interests[target.slice(1)] ?? {} };
    },
  } as unknown as Api;
  const answers = createSharedAnswers(api, { clock, isSent });
  const changes = followChanges({ hints });
  const look = (): void => {
    for (const topic of Object.keys(interests)) answers.read(topic, ANN).catch(() => undefined);
  };
  /** Returns the topics that were read in so many seconds. */
  const pass = async (seconds: number): Promise<readonly string[]> => {
    reads.length = 0;
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(SECOND);
      answers.note(changes.take());
      look();
    }
    return [...reads];
  };
  const change = async (...some: readonly Hint[]): Promise<void> => {
    for (const hint of some) hints.note(hint);
    // Hints reach their followers in the next turn of the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  look();
  return {
    pass,
    change,
    setLasts: (ms: number) => {
      lasts = ms;
    },
    setFails: (value: boolean) => {
      fails = value;
    },
    forget: () => answers.forget(),
  };
}

describe("answers of topics", () => {
  it("are read once a minute while nothing changes", async () => {
    const { pass } = world({ fleet: { fleet: true }, queue: { keysOf: "all", everyMs: 10_000 } });
    const reads = await pass(120);
    expect(reads.filter((topic) => topic === "fleet")).toHaveLength(2);
    expect(reads.filter((topic) => topic === "queue").length).toBeLessThanOrEqual(12);
  });

  it("are read within a second of a change that concerns them, some times more, and then rest", async () => {
    const { pass, change } = world({
      mine: { clusters: ["a/c1"] },
      machine: { objects: ["a/m1"] },
      other: { clusters: ["a/c2"], objects: ["a/m2"], keysOf: ["machine-status"], lettersOf: "all" },
    });
    await pass(2);
    await change(keys("machine-node", KEY));
    expect(new Set(await pass(1))).toEqual(new Set(["mine", "machine"]));
    const after = await pass(10);
    expect(after.filter((topic) => topic === "mine").length).toBeGreaterThanOrEqual(2);
    expect(after.filter((topic) => topic === "mine").length).toBeLessThanOrEqual(3);
    expect(after).not.toContain("other");
    expect(await pass(10)).toEqual([]);
  });

  it("follow snapshots by name, those of a workload server by its Cluster, functions and letters", async () => {
    const { pass, change } = world({
      machine: { objects: ["a/m1"] },
      cluster: { clusters: ["a/c1"] },
      keys: { keysOf: ["machine-node"] },
      queue: { keysOf: "all" },
      letters: { lettersOf: ["machine-node"] },
    });
    const readAfter = async (...some: readonly Hint[]) => {
      await pass(8);
      await change(...some);
      return (await pass(1)).toSorted();
    };
    expect(await readAfter(snapshot("m1"))).toEqual(["machine"]);
    expect(await readAfter(snapshot("node-1", "a/c1"))).toEqual(["cluster"]);
    // Paused or resumed.
    expect(await readAfter(keys("machine-node"))).toEqual(["keys", "queue"]);
    expect(await readAfter(keys("machine-status", "malformed"))).toEqual(["queue"]);
    expect(await readAfter({ of: "letters", function: "machine-node", keys: [] })).toEqual(["letters"]);
    expect(await readAfter()).toEqual([]);
  });

  it("are all old behind a flood", async () => {
    const { pass, change } = world({ machine: { objects: ["a/m1"] }, fleet: {} });
    await pass(8);
    const many = Array.from({ length: 25_000 }, (_, at) => snapshot(`x${at}`));
    await change(...many);
    expect((await pass(1)).toSorted()).toEqual(["fleet", "machine"]);
  });

  it("take at most a twentieth of the time, and once in ten seconds twice as much, however much changes", async () => {
    const { pass, change, setLasts } = world({ mine: { clusters: ["a/c1"] } });
    setLasts(300);
    await pass(8);
    let reads = 0;
    for (let second = 0; second < 30; second += 1) {
      await change(keys("machine-node", KEY));
      reads += (await pass(1)).length;
    }
    expect(reads).toBeGreaterThanOrEqual(6);
    expect(reads).toBeLessThanOrEqual(9);
  });

  it("follow a change right after a read within a second, once in ten seconds", async () => {
    const { pass, change, setLasts } = world({ mine: { clusters: ["a/c1"] } });
    setLasts(80);
    await pass(20);
    const readsOf = async (seconds: number): Promise<readonly number[]> => {
      const reads: number[] = [];
      for (let second = 0; second < seconds; second += 1) {
        await change(keys("machine-node", KEY));
        reads.push((await pass(1)).length);
      }
      return reads;
    };
    expect(await readsOf(6)).toEqual([1, 1, 0, 1, 0, 1]);
    await pass(20);
    expect(await readsOf(2)).toEqual([1, 1]);
  });

  it("that fail are read again soon", async () => {
    const { pass, setFails, forget } = world({ mine: {} });
    setFails(true);
    forget();
    expect((await pass(10)).length).toBeGreaterThanOrEqual(4);
    setFails(false);
    await pass(4);
    expect(await pass(20)).toEqual([]);
  });

  it("are read once a second where nothing says what changes", async () => {
    const { pass } = world({ mine: {} }, false);
    expect(await pass(5)).toHaveLength(5);
  });
});
