import { expect, it } from "vitest";
import { wanted } from "../../infra/queue/wanted.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { type CreateQueue, HOUR, live, OK, openWorld, resync } from "./queue-world.ts";

/** Short, because time is real on some drivers. */
const AGING_MS = 100;
const AGED_MS = 10 * AGING_MS;
const RUN_MS = 20;

const A = "a/-|MachinePool|a/one";
const B = "b/-|MachinePool|b/one";
const OTHER_A = "a/-|MachinePool|a/other";
const FAILED: Outcome = {
  type: "error",
  failure: { class: "Transient", reason: "Broken", message: "the server said no" },
  terminal: false,
  requested: false,
};

/** The inputs of `wanted`, from every driver. */
export function queueLoadSuite(create: CreateQueue): void {
  it("ready keys of a tenant are counted by priority, also when they have aged", async () => {
    await using world = await openWorld(create, { limits: { agingMs: AGING_MS } });
    await world.queue.pause(world.functionName);
    await world.enqueue(live(A), resync(OTHER_A), resync(B));
    const counted = { waiting: 0, running: 0, dead: 0 };
    const both = {
      "a/-": { ...counted, ready: 2, readyResync: 1 },
      "b/-": { ...counted, ready: 1, readyResync: 1 },
    };
    expect((await world.depth()).tenants).toEqual(both);
    await world.pass(AGED_MS);
    expect((await world.depth()).tenants).toEqual(both);

    await world.enqueue(live(OTHER_A));
    expect((await world.depth()).tenants).toEqual({ ...both, "a/-": { ...counted, ready: 2 } });
    await world.queue.resume(world.functionName);
    await world.work();
    await world.idle();
    expect((await world.depth()).tenants).toBeUndefined();
  });

  it("the runs that ended are counted with their durations, those that were put off are not", async () => {
    await using world = await openWorld(create);
    expect((await world.depth()).lastMinute).toBeUndefined();
    const outcomes: Outcome[] = [{ type: "retry", afterMs: 1, fences: [] }, FAILED, OK];
    const runs = await world.work(async () => {
      const outcome = outcomes[runs.count - 1] ?? OK;
      await world.pass(RUN_MS);
      return outcome;
    });
    await world.enqueue(live(A));
    await world.until(async () => (await world.depth()).lastMinute?.runs === 2);
    const { busyMs = 0 } = (await world.depth()).lastMinute ?? {};
    // A timer may end a millisecond early by the clock of the ledger.
    expect(busyMs).toBeGreaterThanOrEqual(2 * (RUN_MS - 1));
  });

  it("the workers that a backlog wants are the same number on every driver", async () => {
    await using world = await openWorld(create);
    const settings = { concurrency: 10, maxRunningPerTenant: 5 };
    const workers = async () => wanted([{ ...settings, depth: await world.depth() }]);
    expect(await workers()).toBe(0);
    const backlog = Array.from({ length: 70 }, (_, n) => `a/-|MachinePool|a/p${n}`);
    await world.queue.pause(world.functionName);
    await world.enqueue(...backlog.map((key) => live(key)), ...backlog.map((key) => resync(`${key}-old`)));
    await world.enqueue(live(B, HOUR));
    expect(await workers()).toBe(0);
    await world.queue.resume(world.functionName);
    // 70 keys of 100 ms in 5 s and as many in 300 s, on 7 of 10 slots.
    expect(await workers()).toBeCloseTo((1.4 + 1.4 / 60) / 7);
    await world.enqueue(live(B, 5_000));
    expect(await workers()).toBe(1);
  });
}
