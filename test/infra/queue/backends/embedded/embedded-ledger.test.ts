import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createEmbeddedLedger,
  createScripts,
  loadLedgerHost,
} from "../../../../../infra/queue/backends/embedded/embedded-ledger.ts";
import { TinyRedis } from "../../../../../infra/queue/backends/embedded/tiny-redis.ts";
import { createRedisLedger } from "../../../../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import type { Claim, ClaimTerms } from "../../../../../infra/queue/claim.ts";
import type { Change, Token, TokenLedger } from "../../../../../infra/queue/tokens/token-ledger.ts";
import { TOKEN_WINDOW } from "../../../../../infra/queue/tokens/token-queue.ts";
import type { VirtualClock } from "../../../../support/clock.ts";
import { redisMissing, startRedis } from "../../../../support/processes/redis-server.ts";
import { playRandomly } from "../../../../support/random-play.ts";
import { describeWith } from "../../../../support/requires.ts";
import { putScriptsOnTestTime } from "../../../../support/scripts-on-test-time.ts";
import { NO_JITTER } from "../../naive-ledger.ts";
import { type Operation, operations, outcomeOf } from "../../operations.ts";
import { Counts } from "../redis/ledger/counts.ts";

/** Backoffs are shorter than `minIntervalMs`, so that jitter shows nowhere. */
const TERMS = { leaseMs: 5_000, attempts: 3, minIntervalMs: 700, maxRunningPerTenant: 2, anyKey: true };
const anyTime = operations({
  keys: ["t|a", "t|b", "t|ç𝄞", "u|a", "v"],
  delays: [0, 0, 50, 2_000, 9_000],
  afters: [undefined, undefined, 100, 3_000, 60_000],
});

interface Side {
  readonly ledger: TokenLedger;
  readonly counts: Counts;
}

/** One ledger on a Redis and one in this process; every call must have the same answer. */
class Pair {
  readonly #sides: readonly [Side, Side];
  readonly #functionName: string;
  readonly #clock: VirtualClock;
  readonly #tokens = new Map<string, Token>();
  readonly #claims: (Claim & ClaimTerms)[] = [];
  #steps = 0;

  constructor(sides: readonly [Side, Side], functionName: string, clock: VirtualClock) {
    this.#sides = sides;
    this.#functionName = functionName;
    this.#clock = clock;
  }

  async run(operation: Operation): Promise<void> {
    const name = this.#functionName;
    this.#steps += 1;
    await this.#pass(operation.type === "pass" ? operation.ms : 1);
    const claim = this.#claims.at(-1 - (this.#steps % Math.max(1, this.#claims.length)));
    if (operation.type === "pause") await this.#change((ledger) => ledger.pause(name, operation.paused));
    if (operation.type === "enqueue") await this.#change((ledger) => ledger.enqueue(name, [operation.entry]));
    if (operation.type === "claim") await this.#claim();
    if (operation.type === "release" && claim !== undefined)
      await this.#change((ledger) => ledger.release(name, claim));
    if (operation.type === "finish" && claim !== undefined)
      await this.#change((ledger) => ledger.finish(name, claim, outcomeOf(operation)));
    await this.#both((ledger) => ledger.depth(name));
    await this.#both(async (ledger) =>
      (await ledger.dead(name)).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
    for (const state of ["ready", "waiting", "running"] as const)
      await this.#both((ledger) => ledger.keys(name, { state, limit: 10 }));
    const [redis, here] = this.#sides;
    expect(here.counts.without()).toEqual(redis.counts.without());
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    for (let goesOn = true; goesOn; ) {
      const before = await this.#atRest();
      const { deaths, waitMs } = await this.#change((ledger) => ledger.tick(this.#functionName));
      if (before !== undefined) expect(await this.#atRest()).toEqual(before);
      goesOn = deaths.length > 0 || waitMs === 0;
    }
  }

  /** The state of this process while no tick is due: one all the same may only send lost tokens again. */
  async #atRest(): Promise<object | undefined> {
    const [, { ledger, counts }] = this.#sides;
    const dueMs = ledger.nextTickMs?.(this.#functionName);
    if (dueMs === 0) return undefined;
    return { depth: await ledger.depth(this.#functionName), counts: counts.without("resent") };
  }

  async #claim(): Promise<void> {
    const terms = { ...TERMS, owner: `o${this.#steps}` };
    const token = [...this.#tokens.values()][this.#steps % Math.max(1, this.#tokens.size)];
    if (token === undefined) return;
    // Each has its own numbers.
    const any = { ...token, seq: "" };
    const claim = await this.#both((ledger) => ledger.claim(this.#functionName, any, terms));
    if (claim !== undefined) this.#claims.push({ ...claim, ...terms });
  }

  async #change<C extends Change>(call: (ledger: TokenLedger) => Promise<C>): Promise<C> {
    const change = await this.#both(call);
    for (const token of change.tokens) this.#tokens.set(token.key, token);
    for (const { key } of change.deaths) {
      for (const { ledger } of this.#sides) {
        const owner = this.#buriers.get(ledger)?.get(key) ?? "";
        await ledger.markDead(this.#functionName, { key, owner });
      }
    }
    return change;
  }

  /** By ledger and dying key. */
  readonly #buriers = new Map<TokenLedger, Map<string, string>>();

  async #both<T>(call: (ledger: TokenLedger) => Promise<T>): Promise<T> {
    const [expected, found] = await Promise.all(this.#sides.map(({ ledger }) => this.#answer(ledger, call)));
    expect(found).toEqual(expected);
    return expected as T;
  }

  /** Without what each ledger has drawn for itself. */
  async #answer<T>(ledger: TokenLedger, call: (ledger: TokenLedger) => Promise<T>): Promise<T> {
    const answer = await call(ledger);
    if (typeof answer !== "object" || answer === null || !("tokens" in answer)) return answer;
    const { tokens, deaths } = answer as unknown as Change;
    const known = this.#buriers.get(ledger) ?? new Map<string, string>();
    this.#buriers.set(ledger, known);
    for (const { key, owner } of deaths) known.set(key, owner);
    return {
      ...answer,
      tokens: tokens.map((token) => ({ ...token, seq: token.seq.replace(/^\w+-/, "") })),
      deaths: deaths.map((death) => ({ ...death, owner: "" })),
    };
  }
}

describeWith(redisMissing())("the ledger in this process beside the one on Redis", () => {
  let opened: AsyncDisposableStack;
  let redis: Redis;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
  });
  afterAll(() => opened.disposeAsync());

  it("Q-01 to Q-14, Q-17, Q-21, Q-24: gives the same answers, to the millisecond", async () => {
    const clock = putScriptsOnTestTime(redis);
    const own = { limits: NO_JITTER, window: TOKEN_WINDOW };
    const [there, here] = [new Counts(), new Counts()];
    const onRedis = await createRedisLedger({
      ...{ ...own, producer: redis, worker: redis },
      noteCount: (_, counted, times) => there.add(counted, times),
    });
    const tiny = new TinyRedis({ now: () => clock.now().getTime() });
    const random = { number: Math.random, id: () => "seed" };
    const run = createScripts({ host: await loadLedgerHost(), redis: tiny, random, limits: NO_JITTER });
    const inProcess = createEmbeddedLedger({
      ...{ redis: tiny, run, limits: NO_JITTER },
      noteCount: (_, counted, times) => here.add(counted, times),
    });
    const values = fc.array(anyTime, { maxLength: 60, size: "max" });
    const name = "the ledger in this process beside the one on Redis, sequences";
    let pairs = 0;
    await playRandomly({ name, values, atOnce: 1, atLeast: 20, budgetMs: 6_000 }, async ([sequence = []]) => {
      const sides = [
        { ledger: onRedis, counts: there },
        { ledger: inProcess, counts: here },
      ] as const;
      const pair = new Pair(sides, `pair-${++pairs}`, clock);
      for (const [index, operation] of sequence.entries()) {
        await pair.run(operation).catch((cause: unknown) => {
          throw new Error(`after ${JSON.stringify(sequence.slice(0, index + 1))}`, { cause });
        });
      }
    });
  });
});
