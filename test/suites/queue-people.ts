import { expect, it } from "vitest";
import type { LeaseTiming } from "../../infra/queue/run-lease.ts";
import { causeOf } from "../../shared/runtime/queue/queue-control.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import type { KeyPage, KeyRow, KeySelection } from "../../shared/runtime/queue/queue-reader.ts";
import { NO_RUNS, runsIn } from "../../shared/runtime/queue/run-counts.ts";
import { HOUR, live, OK, resync, type World } from "./queue-world.ts";

const A = "default/a|MachinePool|default/a";
const B = "default/b|MachinePool|default/b";
const TERMINAL: Outcome = {
  type: "error",
  failure: { class: "Terminal", reason: "Broken", message: "the server said no" },
  terminal: true,
  requested: false,
  fences: [],
};

const poolOf = (tenant: string, n: number): string => `default/${tenant}|MachinePool|default/p${n}`;

/** Reads all pages. */
async function allKeys(world: World, selection: Omit<KeySelection, "after">): Promise<readonly KeyRow[]> {
  const rows: KeyRow[] = [];
  let page: KeyPage | undefined;
  do {
    page = await world.other.keys(world.functionName, { ...selection, after: page?.next });
    expect(page.items.length).toBeLessThanOrEqual(selection.limit);
    rows.push(...page.items);
  } while (page.next !== undefined);
  return rows;
}

/** Looks and actions of people, on every driver. */
export function queuePeopleSuite(open: (timing?: Partial<LeaseTiming>) => Promise<World>): void {
  it("Q-38: a look says what depth says, without the tenants, and those with the most keys first", async () => {
    await using world = await open();
    const { functionName, other } = world;
    await world.enqueue(live(poolOf("b", 1)), live(poolOf("b", 2), HOUR), resync(poolOf("a", 1)), live(B));
    const { tenants: _, nextDueMs: __, oldestReadyMs: ___, ...sums } = await world.depth();
    const seen = await other.peek(functionName);
    expect(seen).toMatchObject(sums);
    expect(seen).not.toHaveProperty("tenants");
    expect(seen.oldestReadyMs).toEqual({ live: expect.any(Number), resync: expect.any(Number) });
    expect(await other.topTenants(functionName, 2)).toEqual([
      { tenant: "default/b", ready: 2, waiting: 1, running: 0, dead: 0 },
      { tenant: "default/a", ready: 1, readyResync: 1, waiting: 0, running: 0, dead: 0 },
    ]);
    expect(await other.topTenants(`${functionName}-unused`, 2)).toEqual([]);
    await world.enqueue(live("other/b|MachinePool|other/b"));
    expect(await other.topTenants(functionName, 2, new Set(["other"]))).toEqual([
      { tenant: "other/b", ready: 1, waiting: 0, running: 0, dead: 0 },
    ]);
    const counts = await other.countsIn(functionName, new Set(["default", "none"]));
    expect(counts).toEqual({ ready: 3, readyResync: 1, waiting: 1, running: 0, dead: 0 });
    const none = { ready: 0, waiting: 0, running: 0, dead: 0 };
    expect(await other.countsIn(functionName, new Set())).toEqual(none);
    expect(await other.peek(`${functionName}-unused`)).toEqual({
      ready: 0,
      waiting: 0,
      running: 0,
      dead: 0,
      counts: NO_RUNS,
    });
    await expect(other.peek("no name")).rejects.toThrow("is not valid");
    await expect(other.topTenants(functionName, 0)).rejects.toThrow("1 to 200");
  });

  it("Q-42: counts every run that ends, by duration, and those that failed", async () => {
    await using world = await open();
    const ends: readonly Outcome[] = [OK, TERMINAL, { type: "retry", afterMs: 0, fences: [] }, OK];
    const runs = await world.work(async () => {
      const end = ends[runs.count - 1] ?? OK;
      if (runs.count === 4) await world.pass(60);
      return end;
    });
    for (const key of [A, B, poolOf("c", 1)]) {
      await world.enqueue(live(key));
      await world.until(async () => (await world.depth()).ready === 0 && (await world.depth()).running === 0);
    }
    await world.idle();
    const { counts } = await world.other.peek(world.functionName);
    expect([runsIn(counts), counts.failures]).toEqual([3, 1]);
    expect(counts.durations).toHaveLength(12);
    // The last run took more than 50 ms.
    expect(counts.durations.slice(4).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(1);
  });

  it("Q-39: pages hold every key of a state once, what moves first in front", async () => {
    await using world = await open();
    const waiting = Array.from({ length: 23 }, (_, n) => live(poolOf("w", n), HOUR - n * 1_000));
    await world.enqueue(...waiting, resync(poolOf("r", 0)), live(A));
    await world.pass(5);
    await world.enqueue(live(B));
    const found = await allKeys(world, { state: "waiting", limit: 5 });
    expect(found.map(({ key }) => key)).toEqual(waiting.map(({ key }) => key).toReversed());
    expect(found[0]).toMatchObject({ state: "waiting", until: expect.any(Date), failures: 0 });
    const ready = await allKeys(world, { state: "ready", limit: 1 });
    expect(ready.map(({ key }) => key)).toEqual([A, B, poolOf("r", 0)]);
    expect(ready[0]).toMatchObject({ state: "ready", since: expect.any(Date) });
    expect(await allKeys(world, { state: "dead", limit: 200 })).toEqual([]);
  });

  it("Q-39: pages of thousands of keys of one instant, and of one tenant among them, are whole", async () => {
    await using world = await open();
    await world.queue.pause(world.functionName);
    for (let part = 0; part < 6; part += 1) {
      await world.enqueue(
        ...Array.from({ length: 400 }, (_, n) => live(poolOf(`t${n % 40}`, part * 400 + n))),
      );
    }
    const all = await allKeys(world, { state: "ready", limit: 200 });
    expect(all).toHaveLength(2_400);
    expect(new Set(all.map(({ key }) => key)).size).toBe(2_400);
    const own = await allKeys(world, { state: "ready", tenant: "default/t7", limit: 7 });
    expect(new Set(own.map(({ key }) => key)).size).toBe(60);
    expect(own.every(({ key }) => key.startsWith("default/t7|"))).toBe(true);
    expect(await allKeys(world, { state: "ready", tenant: "default/t", limit: 7 })).toEqual([]);
  });

  it("Q-39: keys that run are on pages, with their workers and the ends of their leases", async () => {
    await using world = await open();
    const end = Promise.withResolvers<Outcome>();
    const runs = await world.work(() => end.promise);
    await world.enqueue(live(A));
    await world.until(() => runs.count === 1);
    expect(await allKeys(world, { state: "running", limit: 10 })).toEqual([
      expect.objectContaining({
        key: A,
        since: expect.any(Date),
        until: expect.any(Date),
        owner: expect.any(String),
      }),
    ]);
    end.resolve(OK);
  });

  it("Q-39: refuses a foreign cursor and a size that no page has", async () => {
    await using world = await open();
    await world.enqueue(live(A));
    const keysWith = (more: Partial<KeySelection>) =>
      world.queue.keys(world.functionName, { state: "ready", limit: 10, ...more });
    for (const after of ["", "x", "W10", Buffer.from("[1,2]").toString("base64url"), "A".repeat(1_000_000)]) {
      await expect(keysWith({ after }), after.slice(0, 20)).rejects.toThrow(
        "leave it out to start at the first page",
      );
    }
    for (const limit of [0, -1, 201, 1e9, 1.5, Number.NaN]) {
      await expect(keysWith({ limit })).rejects.toThrow(`1 to 200 items, not ${limit}`);
    }
  });

  it("Q-40: pausing and resuming say whether that was so before", async () => {
    await using world = await open();
    const { functionName, queue, other } = world;
    expect(await queue.resume(functionName)).toBe(false);
    expect(await queue.pause(functionName)).toBe(true);
    expect(await other.pause(functionName)).toBe(false);
    expect((await other.peek(functionName)).paused).toBe(true);
    expect(await other.resume(functionName)).toBe(true);
    expect(await queue.resume(functionName)).toBe(false);
  });

  it("Q-40: a dead key is requeued only while it is dead as it was seen, and its run names the person", async () => {
    await using world = await open();
    const { functionName, queue, other } = world;
    const runs = await world.work(async () => (runs.count > 2 ? OK : TERMINAL));
    await world.enqueue(live(A), live(B));
    await world.until(async () => (await world.depth()).dead === 2);
    const seen = (await world.dead()).map(({ key, since }) => ({ key, deadSince: since }));
    const earlier = seen.map(({ key }) => ({ key, deadSince: new Date(0) }));
    const cause = causeOf("replay", "ana\n\u202e");
    expect(cause).toEqual({ what: "replay by ana??" });
    expect(await other.requeue(functionName, earlier, cause)).toEqual(
      seen.map(({ key, deadSince }) => ({
        key,
        done: false,
        state: expect.objectContaining({ state: "dead", since: deadSince }),
      })),
    );
    expect(runs.count).toBe(2);
    expect(await other.requeue(functionName, seen, cause)).toEqual(
      seen.map(({ key }) => ({ key, done: true })),
    );
    await world.until(() => runs.count === 4);
    await world.idle();
    expect(runs.leases.slice(2).map(({ causes }) => causes)).toEqual([[cause], [cause]]);
    expect(await queue.requeue(functionName, seen, cause)).toEqual(
      seen.map(({ key }) => ({ key, done: false })),
    );
    expect(await queue.requeue(functionName, [], cause)).toEqual([]);
    const many = Array.from({ length: 501 }, () => ({ key: A, deadSince: new Date(0) }));
    await expect(queue.requeue(functionName, many, cause)).rejects.toThrow("at most 500");
    await expect(
      queue.requeue(functionName, [{ key: A, deadSince: new Date(Number.NaN) }], cause),
    ).rejects.toThrow("not an instant");
  });
}
