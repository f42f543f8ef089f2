import { describe, expect, it } from "vitest";
import { workerProblems } from "../../../../infra/operate/explain/problems-of-platform.ts";
import { createUnserved } from "../../../../infra/operate/explain/unserved.ts";
import type { Heartbeat } from "../../../../infra/queue/heartbeats/heartbeats.ts";
import type { AnyFunction } from "../../../../shared/function/define-function.ts";
import type { QueuePeek } from "../../../../shared/runtime/queue/queue-reader.ts";
import { virtualClock } from "../../../support/clock.ts";

type Living = Pick<Heartbeat, "functions" | "running">;

/** Of two functions, `a` and `b`: what is said. */
async function said(processes: readonly Living[], a: Partial<QueuePeek>, b: Partial<QueuePeek> = {}) {
  const clock = virtualClock();
  const depth = {
    ready: 0,
    waiting: 0,
    running: 0,
    dead: 0,
    counts: { runs: 0, failures: 0, durations: [] },
  };
  const asked: string[] = [];
  const peek = async (name: string) => {
    asked.push(name);
    return { ...depth, ...(name === "a" ? a : b) };
  };
  const functions = ["a", "b"].map((name) => ({ spec: { name } })) as unknown as readonly AnyFunction[];
  const ask = createUnserved({ queue: { peek }, functions, processes: async () => processes, clock });
  return { found: await ask(), asked };
}

const LATE = { ready: 3, oldestReadyMs: { live: 45_000 } };

describe("functions that no worker serves", () => {
  it("are named with how many keys wait since when, and what to start", async () => {
    const { found } = await said([{ functions: ["b"], running: 0 }], LATE);
    const message =
      "no worker serves a since 2025-12-31T23:59:15.000Z, 3 keys wait; start one: capstan worker --functions a";
    const late = { since: "2025-12-31T23:59:15.000Z", message };
    expect(found).toEqual([{ function: "a", late }]);
    // A relay names all functions, and runs none.
    expect((await said([{ functions: ["a", "b"] }], LATE)).found).toEqual([...found, { function: "b" }]);
  });

  it("are one problem where several wait: since the oldest key, with the command that serves all", async () => {
    const living: readonly Living[] = [];
    const { found } = await said(
      living,
      { ...LATE, ready: 4 },
      { ready: 1, oldestReadyMs: { resync: 60_000 } },
    );
    expect(found.map(({ function: name, late }) => [name, late?.since])).toEqual([
      ["b", "2025-12-31T23:59:00.000Z"],
      ["a", "2025-12-31T23:59:15.000Z"],
    ]);
    expect(workerProblems(found)).toEqual([
      expect.objectContaining({
        cause: "no worker serves b and 1 more since 2025-12-31T23:59:00.000Z, 5 keys wait",
        next: "start one: capstan worker",
      }),
    ]);
  });

  it.each([
    ["a worker may take the keys still", { ready: 3, oldestReadyMs: { live: 5_000 } }],
    ["no key waits", { ready: 0, oldestReadyMs: { live: 45_000 } }],
    ["a person has paused them", { ...LATE, paused: true }],
  ])("are known at once, and no problem while %s", async (_, depth) => {
    const { found } = await said([], depth);
    expect(found).toEqual([{ function: "a" }, { function: "b" }]);
    expect(workerProblems(found)).toEqual([]);
  });

  it.each([
    ["a worker lives", [{ functions: ["a", "b"], running: 0 }]],
    ["more processes live than are known", Array(200).fill({ functions: [], running: 0 })],
  ])("are not those where %s", async (_, processes) => {
    expect((await said(processes, LATE)).found).toEqual([]);
  });

  it("cost no look at the queue while every function is served", async () => {
    const { asked } = await said([{ functions: ["a", "b"], running: 0 }], LATE);
    expect(asked).toEqual([]);
  });
});
