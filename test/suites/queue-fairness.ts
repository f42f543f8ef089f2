import { expect, it } from "vitest";
import { TOKEN_WINDOW } from "../../infra/queue/tokens/token-queue.ts";
import type { Outcome, QueueEntry } from "../../shared/runtime/queue/queue-port.ts";
import { type CreateQueue, live, OK, openWorld, resync, type World } from "./queue-world.ts";

/** Short, because time is real on some drivers. */
const AGING_MS = 100;
/** Several ticks of every driver: what has to age, has aged. */
const AGED_MS = 10 * AGING_MS;
const BACKLOG = 120;
/** The last keys may have their tokens in the transport already, whose order is its own. */
const LATE = BACKLOG - TOKEN_WINDOW;
/** First keys of a tenant start among so many, whatever others have in front of them. */
const SOON = 10;

/** A hundred turns of 50 tenants with one key each. */
const MOST_RUNS = 5_000;

const keysOf = (tenant: string, count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${tenant}/-|Machine|${tenant}/m${from + n}`);

/** as the order in which keys start, beyond the aging time too. */
export function queueFairnessSuite(create: CreateQueue): void {
  /** Ready for long, without a worker. */
  const aged = async (...entries: readonly QueueEntry[]): Promise<World> => {
    const world = await openWorld(create, { limits: { agingMs: AGING_MS } });
    await world.queue.pause(world.functionName);
    await world.enqueue(...entries);
    await world.pass(AGED_MS);
    return world;
  };
  const startOrder = async (world: World): Promise<readonly string[]> => {
    await world.queue.resume(world.functionName);
    const runs = await world.work(undefined, { concurrency: 1 });
    await world.idle();
    return runs.keys;
  };
  const lastOf = (order: readonly string[], tenant: string): number =>
    order.findLastIndex((key) => key.startsWith(`${tenant}/`));

  it("Q-12: a tenant does not wait for the backlog of another", async () => {
    await using world = await openWorld(create);
    await world.enqueue(...keysOf("noisy", BACKLOG).map((key) => live(key)));
    await world.enqueue(...keysOf("quiet", 3).map((key) => live(key)));
    const order = await startOrder(world);
    expect(order).toHaveLength(BACKLOG + 3);
    expect(lastOf(order, "quiet")).toBeLessThan(SOON);
  });

  it("Q-11, Q-12: live keys of a tenant do not wait for resync keys of another that have aged", async () => {
    await using world = await aged(...keysOf("hostile", BACKLOG).map((key) => resync(key)));
    await world.enqueue(...keysOf("quiet", 3).map((key) => live(key)));
    const order = await startOrder(world);
    expect(order).toHaveLength(BACKLOG + 3);
    expect(lastOf(order, "quiet")).toBeLessThan(SOON);
  });

  it("Q-11, Q-12: live keys of a tenant do not wait for live keys of another that have aged", async () => {
    await using world = await aged(...keysOf("hostile", BACKLOG).map((key) => live(key)));
    await world.enqueue(...keysOf("quiet", 3).map((key) => live(key)));
    const order = await startOrder(world);
    expect(order).toHaveLength(BACKLOG + 3);
    expect(lastOf(order, "quiet")).toBeLessThan(SOON);
  });

  it("Q-11: an aged resync key takes part in the turns of the tenants like a live one", async () => {
    await using world = await aged(
      ...keysOf("busy", BACKLOG).map((key) => live(key)),
      ...keysOf("slow", 3).map((key) => resync(key)),
    );
    expect(lastOf(await startOrder(world), "slow")).toBeLessThan(SOON);
  });

  it("Q-11: an aged resync key stands behind the live keys of its own tenant", async () => {
    const resyncs = keysOf("own", 3, BACKLOG);
    await using world = await aged(
      ...resyncs.map((key) => resync(key)),
      ...keysOf("own", BACKLOG).map((key) => live(key)),
    );
    const order = await startOrder(world);
    expect(order.findIndex((key) => resyncs.includes(key))).toBeGreaterThan(LATE);
  });

  it("Q-11: a resync key that has not aged stands behind the live keys of all tenants", async () => {
    await using world = await openWorld(create);
    await world.queue.pause(world.functionName);
    await world.enqueue(...keysOf("slow", 3).map((key) => resync(key)));
    await world.enqueue(...keysOf("busy", BACKLOG).map((key) => live(key)));
    const order = await startOrder(world);
    expect(order.findIndex((key) => key.startsWith("slow/"))).toBeGreaterThan(LATE);
  });

  it("S-31: a namespace runs so many keys a second, whatever its Clusters and events, and no other one waits", async () => {
    const [perSecond, stepMs] = [5, 200];
    await using world = await openWorld(create);
    await world.queue.pause(world.functionName);
    const noisy = Array.from({ length: 12 }, (_, n) => `noisy/c${n % 3}|Machine|noisy/m${n}`);
    await world.enqueue(...noisy.map((key) => live(key)), ...keysOf("quiet", 3).map((key) => live(key)));
    const runs = await world.work(undefined, { namespaceRunsPerSecond: perSecond });
    await world.queue.resume(world.functionName);
    await world.until(() => runs.count >= perSecond + 3);
    // An event brings no key forward.
    await world.enqueue(...noisy.map((key) => live(key)));
    await world.idle();
    const starts = runs.leases
      .filter(({ key }) => key.startsWith("noisy/"))
      .map(({ claimedAt }) => claimedAt?.getTime() ?? 0);
    expect(starts.length).toBeGreaterThanOrEqual(noisy.length);
    expect(lastOf(runs.keys, "quiet")).toBeLessThan(lastOf(runs.keys, "noisy"));
    const [first = 0] = starts;
    for (const [n, start] of starts.entries())
      expect(start - first).toBeGreaterThanOrEqual((n + 1 - perSecond) * stepMs);
    expect(world.counted("throttled")).toBeGreaterThanOrEqual(starts.length - perSecond);
  });

  it("Q-12: tenants that always have one key ready do not hold up the later keys of another", async () => {
    const restless = keysOf("restless", 48).map((key, n) => key.replaceAll("restless", `restless-${n}`));
    const patient = keysOf("patient", 6);
    await using world = await openWorld(create);
    await world.queue.pause(world.functionName);
    await world.enqueue(...patient.map((key) => live(key)), ...restless.map((key) => live(key)));
    const waiting = new Set(patient);
    const run = (key: string): Outcome => {
      waiting.delete(key);
      return waiting.size > 0 && runs.count < MOST_RUNS && key.startsWith("restless")
        ? { ...OK, afterMs: 0 }
        : OK;
    };
    const runs = await world.work(async ({ key }) => run(key), { concurrency: 1 });
    await world.queue.resume(world.functionName);
    await world.until(() => waiting.size === 0 || runs.count >= MOST_RUNS);
    expect([...waiting]).toEqual([]);
    await world.idle();
  });
}
