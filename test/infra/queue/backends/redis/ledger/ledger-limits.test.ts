import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisLedger } from "../../../../../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import type { ClaimTerms } from "../../../../../../infra/queue/claim.ts";
import { BREAKER, LEDGER_LIMITS } from "../../../../../../infra/queue/limits.ts";
import type { Change, Token, TokenLedger } from "../../../../../../infra/queue/tokens/token-ledger.ts";
import type { QueueEntry } from "../../../../../../shared/runtime/queue/queue-port.ts";
import type { VirtualClock } from "../../../../../support/clock.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { putScriptsOnTestTime } from "../../../../../support/scripts-on-test-time.ts";
import { outcomeOf } from "../../../operations.ts";

const RESEND_MS = 5_000;
const LEASE_MS = 30_000;
const end = (how: "ok" | "terminal") =>
  outcomeOf({ how, afterMs: undefined, requested: false, fenced: false });

describeWith(redisMissing())("every time limit of the ledger on Redis, to the millisecond", () => {
  let opened: AsyncDisposableStack;
  let clock: VirtualClock;
  let ledger: TokenLedger;
  let redis: Redis;
  let claims = 0;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
    clock = putScriptsOnTestTime(redis);
    ledger = await createRedisLedger({ producer: redis, worker: redis, window: 1, resendMs: RESEND_MS });
  });
  afterAll(() => opened.disposeAsync());

  const enqueue = async (name: string, ...entries: readonly QueueEntry[]): Promise<Token> => {
    const [token] = (await ledger.enqueue(name, entries)).tokens;
    if (token === undefined) throw new Error("no token");
    return token;
  };
  const terms = (): ClaimTerms => {
    claims += 1;
    return { owner: `o${claims}`, leaseMs: LEASE_MS, attempts: 2, minIntervalMs: 0, anyKey: true };
  };
  const claim = async (name: string, token: Token) => {
    const wanted = terms();
    const claimed = await ledger.claim(name, token, wanted);
    return claimed === undefined ? undefined : { ...claimed, ...wanted };
  };
  /** A tick one millisecond before the limit, which gives nothing, and one at the limit. */
  const atLimit = async (name: string, ms: number): Promise<Change> => {
    await clock.advance(ms - 1);
    expect(await ledger.tick(name)).toMatchObject({ tokens: [], deaths: [] });
    await clock.advance(1);
    return ledger.tick(name);
  };
  const die = async (name: string, token: Token) => {
    const claimed = await claim(name, token);
    if (claimed === undefined) throw new Error("no claim");
    const [death] = (await ledger.finish(name, claimed, end("terminal"))).deaths;
    if (death === undefined) throw new Error("no death");
    return death;
  };

  it("resends the token of a key after 5 s, then after as long as it has been ready", async () => {
    const token = await enqueue("resend", { key: "t|a", priority: "live" });
    expect((await atLimit("resend", RESEND_MS)).tokens).toEqual([token]);
    expect((await atLimit("resend", RESEND_MS)).tokens).toEqual([token]);
    expect((await atLimit("resend", 2 * RESEND_MS)).tokens).toEqual([token]);
  });

  it("a time without ticks, as while Redis was away, makes no token wait longer", async () => {
    const token = await enqueue("away", { key: "t|a", priority: "live" });
    await clock.advance(50 * RESEND_MS);
    expect((await ledger.tick("away")).tokens).toEqual([token]);
    expect((await atLimit("away", RESEND_MS)).tokens).toEqual([token]);
  });

  it("Q-11: a resync key is found among the live ones after a minute", async () => {
    const token = await enqueue(
      "age",
      { key: "t|call", priority: "live" },
      { key: "t|old", priority: "resync" },
    );
    await clock.advance(LEDGER_LIMITS.agingMs - 1);
    await ledger.tick("age");
    await ledger.enqueue("age", [{ key: "t|first", priority: "live" }]);
    await clock.advance(1);
    await ledger.tick("age");
    await ledger.enqueue("age", [{ key: "t|second", priority: "live" }]);
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) order.push((await claim("age", token))?.key);
    expect(order).toEqual(["t|call", "t|first", "t|old", "t|second"]);
  });

  it("Q-13, Q-08: an expired lease is a failure, and the key is back after its backoff", async () => {
    const token = await enqueue("lease", { key: "t|a", priority: "live" });
    await claim("lease", token);
    await atLimit("lease", LEASE_MS);
    const { waiting, nextDueMs = 0 } = await ledger.depth("lease");
    expect(waiting).toBe(1);
    // With up to a tenth of jitter.
    expect(nextDueMs).toBeGreaterThanOrEqual(100);
    expect(nextDueMs).toBeLessThanOrEqual(110);
    await clock.advance(nextDueMs - 1);
    expect((await ledger.tick("lease")).tokens).toEqual([]);
    await clock.advance(1);
    const [next] = (await ledger.tick("lease")).tokens;
    expect(await claim("lease", next ?? token)).toMatchObject({ key: "t|a", failures: 1, readyMs: 0 });
  });

  it("Q-26, Q-10: a death is reported again until it is marked dead; then the key is tried every 10 to 15 minutes, for ever", async () => {
    const death = await die("dead", await enqueue("dead", { key: "t|a", priority: "live" }));
    const [again] = (await atLimit("dead", LEDGER_LIMITS.letterMs)).deaths;
    expect(again).toMatchObject({ key: "t|a", since: death.since });
    await ledger.markDead("dead", again ?? death);
    for (let lastMs = death.since.getTime(), n = 2; n < 5; n += 1) {
      const { until, since, failures } = (await ledger.keyState("dead", "t|a")) ?? {};
      expect({ since, failures }).toEqual({ since: death.since, failures: n - 1 });
      const delayMs = (until?.getTime() ?? 0) - lastMs;
      expect(delayMs).toBeGreaterThanOrEqual(LEDGER_LIMITS.slowMinMs);
      expect(delayMs).toBeLessThan(LEDGER_LIMITS.slowMaxMs);
      const [token] = (await atLimit("dead", (until?.getTime() ?? 0) - clock.now().getTime())).tokens;
      expect(token).toMatchObject({ key: "t|a", priority: "resync" });
      lastMs = clock.now().getTime();
      if (token !== undefined) await ledger.markDead("dead", await die("dead", token));
    }
  });

  it("Q-10: dead keys are tried two at a time and five a second, also those of a former version", async () => {
    for (const key of ["t1|a", "t2|a", "t3|a"]) {
      await ledger.markDead("slow", await die("slow", await enqueue("slow", { key, priority: "live" })));
      // It knew no next attempt: the score was the begin of the death.
      await redis.zadd("{cap:slow}:l:dead", clock.now().getTime(), key);
      await redis.hdel(`{cap:slow}:l:k:${key}`, "due");
    }
    const { tokens, waitMs } = await ledger.tick("slow");
    expect({ tokens, waitMs }).toMatchObject({ tokens: [{ key: "t1|a", priority: "resync" }], waitMs: 200 });
    await atLimit("slow", 200);
    expect(await ledger.depth("slow")).toMatchObject({ ready: 2, dead: 1 });
    await clock.advance(10_000);
    await ledger.tick("slow");
    expect(await ledger.depth("slow")).toMatchObject({ ready: 2, dead: 1 });
    const claimed = await claim("slow", tokens[0] ?? { key: "", seq: "", priority: "live" });
    if (claimed !== undefined) await ledger.finish("slow", claimed, end("ok"));
    await ledger.tick("slow");
    expect(await ledger.depth("slow")).toMatchObject({ ready: 2, running: 0, dead: 0 });
  });

  it("Q-10, Q-27: what fails in the slow lane does not count for the breaker", async () => {
    const keys = Array.from({ length: 19 }, (_, n) => `t${n}|a`);
    for (const key of keys) {
      const death = await die("lane", await enqueue("lane", { key, priority: "live" }));
      await ledger.markDead("lane", death);
    }
    await clock.advance(LEDGER_LIMITS.slowMaxMs);
    for (const _ of keys) {
      await clock.advance(200);
      const [token] = (await ledger.tick("lane")).tokens;
      if (token !== undefined) await ledger.markDead("lane", await die("lane", token));
    }
    const { counts, breakerOpen } = await ledger.peek("lane");
    expect({ failures: counts?.failures, breakerOpen }).toEqual({ failures: 38, breakerOpen: undefined });
    // One more failure of a key that was not dead: with those of the slow lane the breaker would open.
    await die("lane", await enqueue("lane", { key: "t|new", priority: "live" }));
    expect((await ledger.peek("lane")).breakerOpen).toBeUndefined();
  });

  it("Q-27, S-70: an open breaker lets one key per second through, until its failures are a minute old", async () => {
    const keys = Array.from({ length: BREAKER.minRuns + 6 }, (_, n) => `t${n}|a`);
    // From the start of an interval on.
    const { intervalMs, intervals, claimEveryMs } = BREAKER;
    await clock.advance(intervalMs - (clock.now().getTime() % intervalMs));
    const token = await enqueue("breaker", ...keys.map((key) => ({ key, priority: "live" as const })));
    for (let n = 0; n < BREAKER.minRuns; n += 1)
      await ledger.markDead("breaker", await die("breaker", token));
    expect(await ledger.depth("breaker")).toMatchObject({ breakerOpen: true });
    expect(await claim("breaker", token)).toBeUndefined();
    await clock.advance(claimEveryMs - 1);
    expect(await claim("breaker", token)).toBeUndefined();
    await clock.advance(1);
    expect(await claim("breaker", token)).toBeDefined();
    await clock.advance(claimEveryMs - 1);
    expect(await claim("breaker", token)).toBeUndefined();
    await clock.advance(intervals * intervalMs - 2 * claimEveryMs);
    await ledger.tick("breaker");
    expect(await ledger.depth("breaker")).toMatchObject({ breakerOpen: true });
    await clock.advance(1);
    await ledger.tick("breaker");
    expect((await ledger.depth("breaker")).breakerOpen).toBeUndefined();
    for (let n = 0; n < 3; n += 1) expect(await claim("breaker", token)).toBeDefined();
  });

  it("Q-27: a breaker that old runs kept open opens for a second again, also where no tick came in between", async () => {
    const { intervalMs, intervals, claimEveryMs, minRuns } = BREAKER;
    await clock.advance(intervalMs - (clock.now().getTime() % intervalMs));
    const keys = Array.from({ length: minRuns + 3 }, (_, n) => `t${n}|a`);
    const token = await enqueue("again", ...keys.map((key) => ({ key, priority: "live" as const })));
    const late = await claim("again", token);
    await ledger.markDead("again", await die("again", token));
    await clock.advance(intervalMs);
    for (let n = 1; n < minRuns; n += 1) await ledger.markDead("again", await die("again", token));
    expect(await ledger.depth("again")).toMatchObject({ breakerOpen: true });
    // The first failure is a minute old; the one that comes in its place opens the breaker for a second again.
    await clock.advance((intervals - 1) * intervalMs);
    if (late !== undefined) await ledger.finish("again", late, end("terminal"));
    expect(await claim("again", token)).toBeUndefined();
    await clock.advance(claimEveryMs);
    expect(await claim("again", token)).toBeDefined();
  });
});
