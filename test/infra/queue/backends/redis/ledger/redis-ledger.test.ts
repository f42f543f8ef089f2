import { setTimeout } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisLedger } from "../../../../../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import type { ClaimTerms } from "../../../../../../infra/queue/claim.ts";
import type { KeyDeath, TokenLedger } from "../../../../../../infra/queue/tokens/token-ledger.ts";
import { HOUR } from "../../../../../suites/queue-world.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { outcomeOf } from "../../../operations.ts";
import { openRedisLedger, type RedisLedgerWorld, WIDE } from "./redis-ledger-world.ts";

const TERMS: ClaimTerms = { owner: "", leaseMs: HOUR, attempts: 2, minIntervalMs: HOUR };

describeWith(redisMissing())("the ledger on Redis", () => {
  let world: RedisLedgerWorld;
  let redis: Redis;
  let ledger: TokenLedger;
  beforeAll(async () => {
    world = await openRedisLedger();
    ({ redis, ledger } = world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it("sends the token of an unclaimed key again, with the same seq", async () => {
    const { tokens } = await ledger.enqueue("resend", [{ key: "a", priority: "live" }]);
    const again = await eventually(
      async () => {
        const change = await ledger.tick("resend");
        return change.tokens.length > 0 && change.tokens;
      },
      { withinMs: 10_000 },
    );
    expect(again).toEqual(tokens);
    expect(world.countsOf("resend").without()).toMatchObject({ resent: 1, stale: 0 });
    const [token] = tokens;
    if (token === undefined) throw new Error("no token");
    await ledger.claim("resend", token, TERMS);
    await ledger.claim("resend", token, { ...TERMS, owner: "late" });
    expect(world.countsOf("resend").without()).toMatchObject({ stale: 1 });
  });

  it("Q-25: gives the ticks of a function to one process at a time, and forgets whose they were", async () => {
    const another = await createRedisLedger({ producer: redis, worker: redis, window: WIDE });
    expect(await ledger.takeTicks("ticks", HOUR)).toBe(true);
    expect(await another.takeTicks("ticks", HOUR)).toBe(false);
    expect(await another.takeTicks("other-ticks", 1)).toBe(true);
    await eventually(() => ledger.takeTicks("other-ticks", HOUR), { withinMs: 10_000 });
    expect(await redis.pttl("{cap:ticks}:l:ticks")).toBeGreaterThan(0);
  });

  it("sends a second token with the same seq when a ready key becomes more urgent", async () => {
    const [first] = (await ledger.enqueue("upgrade", [{ key: "a", priority: "resync" }])).tokens;
    expect((await ledger.enqueue("upgrade", [{ key: "a", priority: "resync" }])).tokens).toEqual([]);
    expect((await ledger.enqueue("upgrade", [{ key: "a", priority: "live" }])).tokens).toEqual([
      { ...first, priority: "live" },
    ]);
    expect((await ledger.enqueue("upgrade", [{ key: "a", priority: "live" }])).tokens).toEqual([]);
  });

  it("returns how soon a key that a call left waiting is due", async () => {
    const { waitMs = 0 } = await ledger.enqueue("due", [
      { key: "a", priority: "live", delayMs: 2 * HOUR },
      { key: "b", priority: "live", delayMs: HOUR },
    ]);
    expect(waitMs).toBe(HOUR);
  });

  it("gives a lease again to the owner who asks twice", async () => {
    const [token] = (await ledger.enqueue("twice", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const terms = { ...TERMS, owner: "me" };
    const claim = await ledger.claim("twice", token, terms);
    expect(claim).toMatchObject({ key: "a", owner: "me" });
    expect(await ledger.claim("twice", token, terms)).toEqual({
      ...claim,
      readyMs: expect.any(Number),
      claimedAtMs: expect.any(Number),
    });
  });

  it("gives the next lease again to the owner who asks twice", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 1 });
    const events = ["a", "b", "c"].map((key) => ({ key, priority: "live" as const }));
    const [token] = (await narrow.enqueue("again", events)).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await narrow.claim("again", token, { ...TERMS, owner: "first" });
    if (claim === undefined) throw new Error("no claim");
    const outcome = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });
    const finish = () =>
      narrow.finish("again", { ...claim, ...TERMS, owner: "first" }, outcome, { ...TERMS, owner: "second" });
    expect(await finish()).toMatchObject({ accepted: true, next: { key: "b", owner: "second" } });
    expect(await finish()).toMatchObject({ accepted: false, next: { key: "b", owner: "second" } });
    expect(await narrow.depth("again")).toMatchObject({ running: 1, ready: 1 });
  });

  it("a token without a seq is good for whatever is ready, once", async () => {
    const token = { key: "a", seq: "", priority: "live" } as const;
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "early" })).toBeUndefined();
    await ledger.enqueue("ahead", [{ key: "a", priority: "live" }]);
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "first" })).toMatchObject({ key: "a" });
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "second" })).toBeUndefined();
  });

  it("Q-15: takes no token from before a loss of data, and shows the loss", async () => {
    const [token] = (await ledger.enqueue("loss", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const epoch = await ledger.epoch("loss");
    await redis.flushall();
    expect(await ledger.epoch("loss")).not.toBe(epoch);
    const [next] = (await ledger.enqueue("loss", [{ key: "a", priority: "live" }])).tokens;
    expect(await ledger.claim("loss", token, TERMS)).toBeUndefined();
    expect(next?.seq).not.toBe(token.seq);
  });

  it("Q-15: starts again with a key of which a loss has left some fields", async () => {
    const rest = { c0: "old", pd: "1", f: "3" };
    await redis.hset("{cap:rest}:l:k:a", rest);
    const [token] = (await ledger.enqueue("rest", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await ledger.claim("rest", token, TERMS);
    expect(claim).toMatchObject({ key: "a", causes: [] });
    expect(await redis.hgetall("{cap:rest}:l:k:a")).not.toMatchObject({ f: "3" });
  });

  it("Q-11: a resync key that has been ready for long is found among the live ones; its token stays good", async () => {
    const limits = { agingMs: 30 };
    const impatient = await createRedisLedger({ producer: redis, worker: redis, window: 2, limits });
    const call = (owner: string) => ({ ...TERMS, owner, anyKey: true });
    const { tokens } = await impatient.enqueue("age", [
      { key: "t|a", priority: "resync" },
      { key: "t|b", priority: "live" },
      { key: "t|c", priority: "live" },
      { key: "t|d", priority: "resync" },
    ]);
    expect(tokens.map(({ key, priority: wanted, rank }) => [key, wanted, rank])).toEqual([
      ["t|a", "resync", 0],
      ["t|b", "live", 0],
    ]);
    await setTimeout(60);
    for (const _ of [1, 2]) expect((await impatient.tick("age")).tokens).toEqual([]);
    expect(await impatient.depth("age")).toMatchObject({ ready: 4, readyResync: 2 });
    const [a, b] = tokens;
    if (a === undefined || b === undefined) throw new Error("no token");
    const order: string[] = [];
    for (const [owner, token] of [a, b, a, b].entries())
      order.push((await impatient.claim("age", token, call(`${owner}`)))?.key ?? "-");
    // The token of b was under way, so a worker found c first.
    expect(order).toEqual(["t|c", "t|b", "t|a", "t|d"]);
  });

  it("Q-12, Q-30: where workers run the keys of tokens only, the first keys get the next tokens", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 2 });
    const { tokens } = await narrow.enqueue(
      "pushed",
      Array.from({ length: 6 }, (_, n) => ({ key: `noisy|${n}`, priority: "live" as const })),
    );
    expect((await narrow.enqueue("pushed", [{ key: "quiet|a", priority: "live" }])).tokens).toEqual([]);
    const [token] = tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await narrow.claim("pushed", token, TERMS);
    if (claim === undefined) throw new Error("no claim");
    const outcome = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });
    const { tokens: next } = await narrow.finish("pushed", { ...claim, ...TERMS }, outcome);
    expect(next.map(({ key }) => key)).toEqual(["quiet|a"]);
  });

  it("Q-12: hands out keys without a token by priority, then by rank", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 1 });
    const { tokens } = await narrow.enqueue("pile", [
      ...["noisy|a", "noisy|b", "noisy|c"].map((key) => ({ key, priority: "live" as const })),
      { key: "noisy|d", priority: "resync" },
      { key: "quiet|a", priority: "live" },
    ]);
    expect(tokens.map(({ key }) => key)).toEqual(["noisy|a"]);
    const [token] = tokens;
    if (token === undefined) throw new Error("no token");
    const order: string[] = [];
    let claim = await narrow.claim("pile", token, { ...TERMS, owner: "0", anyKey: true });
    while (claim !== undefined) {
      order.push(claim.key);
      const outcome = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });
      const next = { ...TERMS, owner: `${order.length}`, anyKey: true };
      claim = (await narrow.finish("pile", { ...claim, ...TERMS }, outcome, next)).next;
    }
    // The last key got the token that the first had: it is the call for another worker.
    expect(order).toEqual(["noisy|a", "quiet|a", "noisy|b", "noisy|c"]);
    expect(await narrow.depth("pile")).toMatchObject({ ready: 1, readyResync: 1 });
  });

  it("forgets the dead key that is due first when there are too many, and leaves nothing of those that succeed", async () => {
    const limits = { maxDead: 2, slowMinMs: 200, slowMaxMs: 200, slowPerSecond: 1_000 };
    const small = await createRedisLedger({ producer: redis, worker: redis, window: WIDE, limits });
    const terminal = outcomeOf({ how: "terminal", afterMs: undefined, requested: false, fenced: false });
    const ok = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });
    for (const key of ["a", "b", "c"]) {
      const [token] = (await small.enqueue("dead", [{ key, priority: "live" }])).tokens;
      if (token === undefined) throw new Error("no token");
      const claim = await small.claim("dead", token, TERMS);
      if (claim === undefined) throw new Error("no claim");
      const { deaths } = await small.finish("dead", { ...claim, ...TERMS }, terminal);
      expect(deaths).toMatchObject([{ key, priority: "live", failures: 1 }]);
      for (const death of deaths) await small.markDead("dead", death);
      await setTimeout(2);
    }
    expect((await small.dead("dead")).map(({ key }) => key)).toEqual(["b", "c"]);
    expect(await small.depth("dead")).toMatchObject({ dead: 2, deadEvicted: 1 });
    await eventually(
      async () => {
        for (const token of (await small.tick("dead")).tokens) {
          const claim = await small.claim("dead", token, TERMS);
          if (claim !== undefined) await small.finish("dead", { ...claim, ...TERMS }, ok);
        }
        const { dead, ready } = await small.depth("dead");
        return dead + ready === 0;
      },
      { withinMs: 10_000 },
    );
    await small.tick("dead");
    expect((await redis.keys("{cap:dead}*")).toSorted()).toEqual(["{cap:dead}:l:meta"]);
  });

  it("Q-13: a death is reported to the process that ticks, and again to the worker that still finishes the run", async () => {
    const hasty = await createRedisLedger({
      producer: redis,
      worker: redis,
      window: WIDE,
      limits: { letterMs: 50 },
      noteCount: world.noteCount,
    });
    const terms = { ...TERMS, owner: "o1", leaseMs: 1, attempts: 1 };
    const [token] = (await hasty.enqueue("dying", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await hasty.claim("dying", token, terms);
    if (claim === undefined) throw new Error("no claim");
    const reported = (): Promise<KeyDeath> =>
      eventually(async () => (await hasty.tick("dying")).deaths[0] ?? false, { withinMs: 10_000 });
    const first = await reported();
    expect(first).toMatchObject({ key: "a", failures: 1, ranBy: "o1", failure: { reason: "LeaseExpired" } });
    const second = await reported();
    expect(second).toEqual({ ...first, owner: expect.any(String) });
    expect(second.owner).not.toBe(first.owner);
    const error = outcomeOf({ how: "error", afterMs: undefined, requested: false, fenced: false });
    const late = await hasty.finish("dying", { ...claim, ...terms }, error);
    expect(late).toMatchObject({ accepted: true, deaths: [{ ...first, owner: "o1" }] });
    expect(await hasty.dead("dying")).toEqual([]);
    expect(await hasty.markDead("dying", second)).toMatchObject({ accepted: false });
    expect(await hasty.markDead("dying", { key: "a", owner: "o1" })).toMatchObject({ accepted: true });
    expect(await hasty.dead("dying")).toMatchObject([{ key: "a", since: first.since, failures: 1 }]);
    expect(await hasty.finish("dying", { ...claim, ...terms }, error)).toMatchObject({
      accepted: false,
      deaths: [],
    });
    expect(world.countsOf("dying").without()).toMatchObject({ expired: 1, fenced: 1 });
  });

  it("Q-10: an event while the letter is written revives the key as soon as it is marked dead", async () => {
    const terms = { ...TERMS, owner: "o1", attempts: 1, minIntervalMs: 0 };
    const [token] = (await ledger.enqueue("born", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await ledger.claim("born", token, terms);
    if (claim === undefined) throw new Error("no claim");
    const error = outcomeOf({ how: "error", afterMs: undefined, requested: false, fenced: false });
    const { deaths } = await ledger.finish("born", { ...claim, ...terms }, error);
    const [death] = deaths;
    if (death === undefined) throw new Error("no death");
    await ledger.enqueue("born", [{ key: "a", priority: "live" }]);
    expect(await ledger.depth("born")).toMatchObject({ running: 1, ready: 0 });
    const { tokens } = await ledger.markDead("born", death);
    expect(tokens).toMatchObject([{ key: "a" }]);
    expect(await ledger.claim("born", tokens[0] ?? token, { ...terms, owner: "o2" })).toMatchObject({
      failures: 0,
    });
    expect(world.countsOf("born").without()).toMatchObject({ revivedLive: 1 });
  });

  it("Q-34: reports the lag of the tick", async () => {
    await ledger.enqueue("lag", [{ key: "a", priority: "live", delayMs: 1 }]);
    await eventually(async () => ((await ledger.depth("lag")).tickLagMs ?? 0) >= 20, { withinMs: 10_000 });
    await ledger.tick("lag");
    expect((await ledger.depth("lag")).tickLagMs).toBeUndefined();
  });

  it("clears what an index holds without an entry", async () => {
    await ledger.enqueue("orphans", [
      { key: "a", priority: "live" },
      { key: "b", priority: "live", delayMs: 1 },
    ]);
    await redis.del("{cap:orphans}:l:k:a", "{cap:orphans}:l:k:b");
    await eventually(
      async () => {
        await ledger.tick("orphans");
        const { ready, waiting } = await ledger.depth("orphans");
        return ready + waiting === 0;
      },
      { withinMs: 10_000 },
    );
  });

  it("leaves nothing behind of a key that has become idle but its epoch", async () => {
    const [token] = (await ledger.enqueue("tidy", [{ key: "a", priority: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await ledger.claim("tidy", token, TERMS);
    if (claim === undefined) throw new Error("no claim");
    await ledger.finish("tidy", { ...claim, ...TERMS }, { type: "ok", requested: false, fences: [] });
    expect(await redis.keys("{cap:tidy}*")).toEqual(["{cap:tidy}:l:meta"]);
  });
});
