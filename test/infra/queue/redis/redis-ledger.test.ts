import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Claim, ClaimTerms } from "../../../../infra/queue/claim.ts";
import { Ledger } from "../../../../infra/queue/ledger/ledger.ts";
import { createRedisLedger } from "../../../../infra/queue/redis/redis-ledger.ts";
import type { Change, KeyDeath, Token, TokenLedger } from "../../../../infra/queue/tokens/token-ledger.ts";
import { COUNTED, type Counted, type NoteCount } from "../../../../shared/runtime/queue-port.ts";
import { HOUR } from "../../../suites/queue-world.ts";
import type { VirtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { playRandomly } from "../../../support/random-play.ts";
import { describeWith } from "../../../support/requires.ts";
import { putScriptsOnTestTime } from "../../../support/scripts-on-test-time.ts";
import { type Operation, operations, outcomeOf } from "../operations.ts";

/** Every key of a test has a token. */
const WIDE = 1_000;
const TERMS: ClaimTerms = { owner: "", leaseMs: HOUR, attempts: 2, minIntervalMs: HOUR };
/** Now or never, so that real and virtual time mean the same. */
const nowOrLater = operations({
  keys: ["t|a", "t|b", "u|a"],
  delays: [0, 0, 0, HOUR],
  afters: [undefined, HOUR],
});

class Counts {
  readonly #times = new Map<Counted, number>();

  add(counted: Counted, times: number): void {
    this.#times.set(counted, (this.#times.get(counted) ?? 0) + times);
  }

  without(...left: readonly Counted[]): object {
    return Object.fromEntries(
      COUNTED.filter((each) => !left.includes(each)).map((each) => [each, this.#times.get(each) ?? 0]),
    );
  }
}

/** Leases, floors, aging, the breaker and the retention of the dead, where time is virtual. */
const TIMED_TERMS: ClaimTerms = { owner: "", leaseMs: 5_000, attempts: 3, minIntervalMs: 700 };
const anyTime = operations({
  keys: ["t|a", "t|b", "u|a", "v"],
  delays: [0, 0, 50, 2_000, 9_000],
  afters: [undefined, undefined, 100, 3_000, 60_000],
});

interface PairParts {
  readonly redis: TokenLedger;
  readonly functionName: string;
  readonly counts: Counts;
  /** Absent: time does not matter. */
  readonly clock?: VirtualClock;
}

/** The ledger of Redis and the one of TypeScript side by side; every call must have the same answer. */
class Pair {
  readonly memory: Ledger = new Ledger({
    random: () => 0,
    onFailure: ({ key, death }) => death && this.memory.bury(this.#now, key, death.since),
    onCount: (counted) => this.#expected.add(counted, 1),
  });
  readonly #expected = new Counts();
  readonly #counts: Counts;
  readonly #tokens = new Map<string, Token>();
  readonly #claims: (Claim & ClaimTerms)[] = [];
  readonly #redis: TokenLedger;
  readonly #functionName: string;
  readonly #clock: VirtualClock | undefined;
  readonly #terms: ClaimTerms;
  #steps = 0;

  constructor({ redis, functionName, counts, clock }: PairParts) {
    this.#redis = redis;
    this.#counts = counts;
    this.#functionName = functionName;
    this.#clock = clock;
    this.#terms = clock === undefined ? TERMS : TIMED_TERMS;
  }

  get #now(): number {
    return this.#clock?.now().getTime() ?? 0;
  }

  async runAll(sequence: readonly Operation[]): Promise<void> {
    for (const [index, operation] of sequence.entries()) {
      try {
        await this.run(operation);
      } catch (cause) {
        throw new Error(`after ${JSON.stringify(sequence.slice(0, index + 1))}`, { cause });
      }
    }
  }

  async run(operation: Operation): Promise<void> {
    this.#steps += 1;
    await this.#pass(operation.type === "pass" ? operation.ms : 1);
    if (operation.type === "pause") {
      this.memory.pause(operation.paused);
      this.#receive(await this.#redis.pause(this.#functionName, operation.paused));
    }
    if (operation.type === "enqueue") {
      this.memory.enqueue(this.#now, operation.entry);
      this.#receive(await this.#redis.enqueue(this.#functionName, [operation.entry]));
    }
    if (operation.type === "claim") await this.#claim();
    if (operation.type === "finish" || operation.type === "release") await this.#end(operation);
    const depth = await this.#redis.depth(this.#functionName);
    const { nextDueMs: _due, oldestReadyMs: _oldest, ...timeless } = this.memory.depth(0);
    if (this.#clock === undefined) expect(depth).toMatchObject(timeless);
    else expect(depth).toEqual(this.memory.depth(this.#now));
    const dead = await this.#redis.dead(this.#functionName);
    const without = ({ since, ...rest }: (typeof dead)[number]) =>
      this.#clock === undefined ? rest : { ...rest, since };
    // Only Redis has tokens.
    expect(this.#counts.without("stale", "resent")).toEqual(this.#expected.without("stale", "resent"));
    const byKey = (a: { readonly key: string }, b: { readonly key: string }) => (a.key < b.key ? -1 : 1);
    expect(dead.map(without).toSorted(byKey)).toEqual(this.memory.dead().map(without).toSorted(byKey));
  }

  /** Both ledgers learn that time has passed, until nothing comes of it any more. */
  async #pass(ms: number): Promise<void> {
    if (this.#clock === undefined) return;
    await this.#clock.advance(ms);
    this.memory.tick(this.#now);
    for (let goesOn = true; goesOn; ) {
      const change = await this.#redis.tick(this.#functionName);
      this.#receive(change);
      for (const death of change.deaths) this.#receive(await this.#redis.bury(this.#functionName, death));
      goesOn = change.deaths.length > 0 || change.waitMs === 0;
    }
  }

  async #claim(): Promise<void> {
    const terms = { ...this.#terms, owner: `o${this.#steps}` };
    const expected = this.memory.claim(this.#now, terms);
    // Without a ready key every token there ever was must be stale, or may not be claimed now.
    const token =
      expected === undefined ? this.#tokens.values().next().value : this.#tokens.get(expected.key);
    if (token === undefined) return expect(expected).toBeUndefined();
    const claim = await this.#redis.claim(this.#functionName, token, terms);
    expect(claim && { ...claim, readyMs: this.#clock === undefined ? 0 : claim.readyMs }).toEqual(expected);
    if (expected !== undefined) {
      this.#claims.push({ ...expected, ...terms });
      expect(
        await this.#redis.claim(this.#functionName, token, { ...terms, owner: "thief" }),
      ).toBeUndefined();
    }
  }

  async #end(operation: Operation & { readonly type: "finish" | "release" }): Promise<void> {
    const claim = this.#claims.at(-1 - (operation.back % Math.max(1, this.#claims.length)));
    if (claim === undefined) return;
    if (operation.type === "release") {
      const expected = this.memory.release(this.#now, claim);
      expect(this.#receive(await this.#redis.release(this.#functionName, claim))).toBe(expected);
    } else {
      const outcome = outcomeOf(operation);
      const expected = this.memory.finish(this.#now, claim, outcome);
      const change = await this.#redis.finish(this.#functionName, claim, outcome);
      expect(this.#receive(change)).toBe(expected);
      for (const death of change.deaths) this.#receive(await this.#redis.bury(this.#functionName, death));
    }
  }

  #receive({ accepted, tokens }: Change): boolean {
    for (const token of tokens) this.#tokens.set(token.key, token);
    return accepted;
  }
}

describeWith(redisMissing())("the ledger on Redis", () => {
  let opened: AsyncDisposableStack;
  let redis: Redis;
  let ledger: TokenLedger;
  const counts = new Map<string, Counts>();
  const countsOf = (name: string): Counts => {
    const known = counts.get(name) ?? new Counts();
    counts.set(name, known);
    return known;
  };
  const noteCount: NoteCount = (name, counted, times) => countsOf(name).add(counted, times);
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
    ledger = await createRedisLedger({
      producer: redis,
      worker: redis,
      window: WIDE,
      resendMs: 40,
      noteCount,
    });
  });
  afterAll(() => opened.disposeAsync());

  let pairs = 0;
  it("Q-01 to Q-10, Q-14, Q-17: gives the answers of the ledger in TypeScript", () => {
    // Many at a time: what takes long is the way to Redis and back. 40 calls cannot open the breaker.
    const values = fc.array(nowOrLater, { maxLength: 40, size: "max" });
    const name = "the ledger on Redis beside the one in TypeScript, sequences";
    return playRandomly({ name, values, atOnce: 25, atLeast: 50, budgetMs: 8_000 }, async (some) => {
      await Promise.all(
        some.map(async (operations) => {
          const functionName = `pair-${++pairs}`;
          await new Pair({ redis: ledger, functionName, counts: countsOf(functionName) }).runAll(operations);
        }),
      );
    });
  });

  it("Q-06, Q-08, Q-11, Q-13: gives the answers of the ledger in TypeScript to the millisecond as time passes", async () => {
    const connection = opened.adopt(redis.duplicate(), (each) => each.disconnect());
    const clock = putScriptsOnTestTime(connection);
    const timed = await createRedisLedger({
      producer: connection,
      worker: connection,
      window: WIDE,
      noteCount,
    });
    const values = fc.array(anyTime, { maxLength: 60, size: "max" });
    const name = "the ledger on Redis beside the one in TypeScript as time passes, sequences";
    await playRandomly({ name, values, atOnce: 1, atLeast: 20, budgetMs: 8_000 }, async ([sequence = []]) => {
      const functionName = `timed-${++pairs}`;
      await new Pair({ redis: timed, functionName, counts: countsOf(functionName), clock }).runAll(sequence);
    });
  });

  it("sends the token of an unclaimed key again, with the same seq", async () => {
    const { tokens } = await ledger.enqueue("resend", [{ key: "a", class: "live" }]);
    const again = await eventually(
      async () => {
        const change = await ledger.tick("resend");
        return change.tokens.length > 0 && change.tokens;
      },
      { withinMs: 10_000 },
    );
    expect(again).toEqual(tokens);
    expect(countsOf("resend").without()).toMatchObject({ resent: 1, stale: 0 });
    const [token] = tokens;
    if (token === undefined) throw new Error("no token");
    await ledger.claim("resend", token, TERMS);
    await ledger.claim("resend", token, { ...TERMS, owner: "late" });
    expect(countsOf("resend").without()).toMatchObject({ stale: 1 });
  });

  it("sends a second token with the same seq when a ready key becomes more urgent", async () => {
    const [first] = (await ledger.enqueue("upgrade", [{ key: "a", class: "resync" }])).tokens;
    expect((await ledger.enqueue("upgrade", [{ key: "a", class: "resync" }])).tokens).toEqual([]);
    expect((await ledger.enqueue("upgrade", [{ key: "a", class: "live" }])).tokens).toEqual([
      { ...first, class: "live" },
    ]);
    expect((await ledger.enqueue("upgrade", [{ key: "a", class: "live" }])).tokens).toEqual([]);
  });

  it("returns how soon a key that a call left waiting is due", async () => {
    const { waitMs = 0 } = await ledger.enqueue("due", [
      { key: "a", class: "live", delayMs: 2 * HOUR },
      { key: "b", class: "live", delayMs: HOUR },
    ]);
    expect(waitMs).toBe(HOUR);
  });

  it("gives a lease again to the owner who asks twice", async () => {
    const [token] = (await ledger.enqueue("twice", [{ key: "a", class: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const terms = { ...TERMS, owner: "me" };
    const claim = await ledger.claim("twice", token, terms);
    expect(claim).toMatchObject({ key: "a", owner: "me" });
    expect(await ledger.claim("twice", token, terms)).toEqual({ ...claim, readyMs: expect.any(Number) });
  });

  it("gives the next lease again to the owner who asks twice", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 1 });
    const events = ["a", "b", "c"].map((key) => ({ key, class: "live" as const }));
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
    const token = { key: "a", seq: "", class: "live" } as const;
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "early" })).toBeUndefined();
    await ledger.enqueue("ahead", [{ key: "a", class: "live" }]);
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "first" })).toMatchObject({ key: "a" });
    expect(await ledger.claim("ahead", token, { ...TERMS, owner: "second" })).toBeUndefined();
  });

  it("Q-15: takes no token from before a loss of data, and shows the loss", async () => {
    const [token] = (await ledger.enqueue("loss", [{ key: "a", class: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const epoch = await ledger.epoch("loss");
    await redis.flushall();
    expect(await ledger.epoch("loss")).not.toBe(epoch);
    const [next] = (await ledger.enqueue("loss", [{ key: "a", class: "live" }])).tokens;
    expect(await ledger.claim("loss", token, TERMS)).toBeUndefined();
    expect(next?.seq).not.toBe(token.seq);
  });

  it("Q-11: a resync key that has been ready for long is found among the live ones; its token stays good", async () => {
    const limits = { agingMs: 30 };
    const impatient = await createRedisLedger({ producer: redis, worker: redis, window: 2, limits });
    const call = (owner: string) => ({ ...TERMS, owner, anyKey: true });
    const { tokens } = await impatient.enqueue("age", [
      { key: "t|a", class: "resync" },
      { key: "t|b", class: "live" },
      { key: "t|c", class: "live" },
      { key: "t|d", class: "resync" },
    ]);
    expect(tokens.map(({ key, class: wanted, rank }) => [key, wanted, rank])).toEqual([
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

  it("Q-12: where workers run the keys of tokens only, the first keys get the next tokens", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 2 });
    const { tokens } = await narrow.enqueue(
      "pushed",
      Array.from({ length: 6 }, (_, n) => ({ key: `noisy|${n}`, class: "live" as const })),
    );
    expect((await narrow.enqueue("pushed", [{ key: "quiet|a", class: "live" }])).tokens).toEqual([]);
    const [token] = tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await narrow.claim("pushed", token, TERMS);
    if (claim === undefined) throw new Error("no claim");
    const outcome = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });
    const { tokens: next } = await narrow.finish("pushed", { ...claim, ...TERMS }, outcome);
    expect(next.map(({ key }) => key)).toEqual(["quiet|a"]);
  });

  it("Q-12: hands out keys without a token by class, then by rank", async () => {
    const narrow = await createRedisLedger({ producer: redis, worker: redis, window: 1 });
    const { tokens } = await narrow.enqueue("pile", [
      ...["noisy|a", "noisy|b", "noisy|c"].map((key) => ({ key, class: "live" as const })),
      { key: "noisy|d", class: "resync" },
      { key: "quiet|a", class: "live" },
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

  it("forgets the longest dead when there are too many, and all after a time", async () => {
    const limits = { maxDead: 2, deadKeptMs: 200 };
    const small = await createRedisLedger({ producer: redis, worker: redis, window: WIDE, limits });
    const terminal = outcomeOf({ how: "terminal", afterMs: undefined, requested: false, fenced: false });
    for (const key of ["a", "b", "c"]) {
      const [token] = (await small.enqueue("dead", [{ key, class: "live" }])).tokens;
      if (token === undefined) throw new Error("no token");
      const claim = await small.claim("dead", token, TERMS);
      if (claim === undefined) throw new Error("no claim");
      const { deaths } = await small.finish("dead", { ...claim, ...TERMS }, terminal);
      expect(deaths).toMatchObject([{ key, class: "live", failures: 1 }]);
      for (const death of deaths) await small.bury("dead", death);
      await setTimeout(2);
    }
    expect((await small.dead("dead")).map(({ key }) => key)).toEqual(["b", "c"]);
    expect(await small.depth("dead")).toMatchObject({ dead: 2, deadEvicted: 1 });
    await eventually(
      async () => {
        await small.tick("dead");
        return (await small.depth("dead")).dead === 0;
      },
      { withinMs: 10_000 },
    );
    expect(await redis.keys("{cap:dead}*")).toEqual(["{cap:dead}:l:meta"]);
  });

  it("Q-13: a death is reported to the process that ticks, and again to the worker that still finishes the run", async () => {
    const hasty = await createRedisLedger({
      producer: redis,
      worker: redis,
      window: WIDE,
      limits: { letterMs: 50 },
      noteCount,
    });
    const terms = { ...TERMS, owner: "o1", leaseMs: 1, attempts: 1 };
    const [token] = (await hasty.enqueue("dying", [{ key: "a", class: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await hasty.claim("dying", token, terms);
    if (claim === undefined) throw new Error("no claim");
    const told = async (): Promise<KeyDeath> => {
      const death = await eventually(async () => (await hasty.tick("dying")).deaths[0] ?? false, {
        withinMs: 10_000,
      });
      if (death === false) throw new Error("the death was not reported");
      return death;
    };
    const first = await told();
    expect(first).toMatchObject({ key: "a", failures: 1, ranBy: "o1", failure: { reason: "LeaseExpired" } });
    const second = await told();
    expect(second).toEqual({ ...first, owner: expect.any(String) });
    expect(second.owner).not.toBe(first.owner);
    const error = outcomeOf({ how: "error", afterMs: undefined, requested: false, fenced: false });
    const late = await hasty.finish("dying", { ...claim, ...terms }, error);
    expect(late).toMatchObject({ accepted: true, deaths: [{ ...first, owner: "o1" }] });
    expect(await hasty.dead("dying")).toEqual([]);
    expect(await hasty.bury("dying", second)).toMatchObject({ accepted: false });
    expect(await hasty.bury("dying", { key: "a", owner: "o1" })).toMatchObject({ accepted: true });
    expect(await hasty.dead("dying")).toMatchObject([{ key: "a", since: first.since, failures: 1 }]);
    expect(await hasty.finish("dying", { ...claim, ...terms }, error)).toMatchObject({
      accepted: false,
      deaths: [],
    });
    expect(countsOf("dying").without()).toMatchObject({ expired: 1, fenced: 1 });
  });

  it("Q-10: an event while the letter is written revives the key as soon as it is buried", async () => {
    const terms = { ...TERMS, owner: "o1", attempts: 1, minIntervalMs: 0 };
    const [token] = (await ledger.enqueue("born", [{ key: "a", class: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await ledger.claim("born", token, terms);
    if (claim === undefined) throw new Error("no claim");
    const error = outcomeOf({ how: "error", afterMs: undefined, requested: false, fenced: false });
    const { deaths } = await ledger.finish("born", { ...claim, ...terms }, error);
    const [death] = deaths;
    if (death === undefined) throw new Error("no death");
    await ledger.enqueue("born", [{ key: "a", class: "live" }]);
    expect(await ledger.depth("born")).toMatchObject({ running: 1, ready: 0 });
    const { tokens } = await ledger.bury("born", death);
    expect(tokens).toMatchObject([{ key: "a" }]);
    expect(await ledger.claim("born", tokens[0] ?? token, { ...terms, owner: "o2" })).toMatchObject({
      failures: 0,
    });
    expect(countsOf("born").without()).toMatchObject({ revivedLive: 1 });
  });

  it("Q-34: reports the lag of the tick", async () => {
    await ledger.enqueue("lag", [{ key: "a", class: "live", delayMs: 1 }]);
    await eventually(async () => ((await ledger.depth("lag")).tickLagMs ?? 0) >= 20, { withinMs: 10_000 });
    await ledger.tick("lag");
    expect((await ledger.depth("lag")).tickLagMs).toBeUndefined();
  });

  it("clears what an index holds without an entry", async () => {
    await ledger.enqueue("orphans", [
      { key: "a", class: "live" },
      { key: "b", class: "live", delayMs: 1 },
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
    const [token] = (await ledger.enqueue("tidy", [{ key: "a", class: "live" }])).tokens;
    if (token === undefined) throw new Error("no token");
    const claim = await ledger.claim("tidy", token, TERMS);
    if (claim === undefined) throw new Error("no claim");
    await ledger.finish("tidy", { ...claim, ...TERMS }, { type: "ok", requested: false, fences: [] });
    expect(await redis.keys("{cap:tidy}*")).toEqual(["{cap:tidy}:l:meta"]);
  });
});
