import fc from "fast-check";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Claim, ClaimTerms } from "../../../../infra/queue/claim.ts";
import { Ledger } from "../../../../infra/queue/ledger/ledger.ts";
import { createRedisLedger } from "../../../../infra/queue/redis/redis-ledger.ts";
import type { Change, Token, TokenLedger } from "../../../../infra/queue/tokens/token-ledger.ts";
import { HOUR } from "../../../suites/queue-world.ts";
import type { VirtualClock } from "../../../support/clock.ts";
import { redisMissing } from "../../../support/processes/redis-server.ts";
import { playRandomly } from "../../../support/random-play.ts";
import { describeWith } from "../../../support/requires.ts";
import { putScriptsOnTestTime } from "../../../support/scripts-on-test-time.ts";
import { NO_JITTER } from "../naive-ledger.ts";
import { type Operation, operations, outcomeOf } from "../operations.ts";
import { Counts } from "./counts.ts";
import { openRedisLedger, type RedisLedgerWorld, WIDE } from "./redis-ledger-world.ts";

const TERMS: ClaimTerms = { owner: "", leaseMs: HOUR, attempts: 2, minIntervalMs: HOUR };
/** Now or never, so that real and virtual time mean the same. */
const nowOrLater = operations({
  keys: ["t|a", "t|b", "u|a"],
  delays: [0, 0, 0, HOUR],
  afters: [undefined, HOUR],
});

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
    const { nextDueMs: _due, oldestReadyMs: _oldest, lastMinute, ...timeless } = this.memory.depth(0);
    if (this.#clock === undefined) {
      expect(depth).toMatchObject(timeless);
      expect(depth.lastMinute?.runs).toBe(lastMinute?.runs);
    } else expect(depth).toEqual(this.memory.depth(this.#now));
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
    const untimed = this.#clock === undefined ? { readyMs: 0, claimedAtMs: this.#now } : {};
    expect(claim && { ...claim, ...untimed }).toEqual(expected);
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

describeWith(redisMissing())("the ledger on Redis beside the one in TypeScript", () => {
  let world: RedisLedgerWorld;
  let redis: Redis;
  let ledger: TokenLedger;
  beforeAll(async () => {
    world = await openRedisLedger();
    ({ redis, ledger } = world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  let pairs = 0;
  it("Q-01 to Q-10, Q-14, Q-17, Q-21: gives the answers of the ledger in TypeScript", () => {
    // Many at a time: what takes long is the way to Redis and back. 40 calls cannot open the breaker.
    const values = fc.array(nowOrLater, { maxLength: 40, size: "max" });
    const name = "the ledger on Redis beside the one in TypeScript, sequences";
    return playRandomly({ name, values, atOnce: 25, atLeast: 50, budgetMs: 4_000 }, async (some) => {
      await Promise.all(
        some.map(async (operations) => {
          const functionName = `pair-${++pairs}`;
          await new Pair({ redis: ledger, functionName, counts: world.countsOf(functionName) }).runAll(
            operations,
          );
        }),
      );
    });
  });

  it("Q-06, Q-08, Q-11, Q-13, Q-24: gives the answers of the ledger in TypeScript to the millisecond as time passes", async () => {
    using connections = new DisposableStack();
    const connection = connections.adopt(redis.duplicate(), (each) => each.disconnect());
    const clock = putScriptsOnTestTime(connection);
    const timed = await createRedisLedger({
      producer: connection,
      worker: connection,
      window: WIDE,
      noteCount: world.noteCount,
      limits: NO_JITTER,
    });
    const values = fc.array(anyTime, { maxLength: 60, size: "max" });
    const name = "the ledger on Redis beside the one in TypeScript as time passes, sequences";
    await playRandomly({ name, values, atOnce: 1, atLeast: 20, budgetMs: 4_000 }, async ([sequence = []]) => {
      const functionName = `timed-${++pairs}`;
      await new Pair({ redis: timed, functionName, counts: world.countsOf(functionName), clock }).runAll(
        sequence,
      );
    });
  });
});
