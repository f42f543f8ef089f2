import { describe, expect, it } from "vitest";
import { LEASE_TIMING } from "../../../../infra/queue/run-lease.ts";
import type { Change, TokenLedger } from "../../../../infra/queue/tokens/token-ledger.ts";
import { TokenQueue, tokenAhead } from "../../../../infra/queue/tokens/token-queue.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const NOTHING: Change = { accepted: true, tokens: [], waitMs: 10, deaths: [] };

const transport = {
  send: async () => undefined,
  receive: () => expect.fail(),
  close: async () => undefined,
};

it.each([true, false])("Q-25: ticks, unless its process is frozen between events: %s", async (ticks) => {
  const clock = virtualClock();
  let count = 0;
  const ledger: Partial<TokenLedger> = {
    enqueue: async () => NOTHING,
    tick: async () => {
      count += 1;
      return NOTHING;
    },
    takeTicks: async () => true,
  };
  const common = { functionName: "widget-grow", transport, clock, timing: LEASE_TIMING, log: silentLog };
  await using queue = new TokenQueue({ ...common, ledger: ledger as TokenLedger, ticks });
  const enqueued = queue.enqueue([{ key: "default/w|Widget|default/w", priority: "live" }]);
  await clock.advance(10 * SECOND);
  await enqueued;
  expect(count > 0).toBe(ticks);
});

it.each([
  { followsLedger: true, rests: true, fewest: 60, most: 125 },
  { followsLedger: true, rests: false, fewest: 200, most: 300 },
  { followsLedger: undefined, rests: true, fewest: 200, most: 300 },
] as const)("Q-25: ticks less often while no key of BullMQ is ready or runs: %o", async (given) => {
  const clock = virtualClock();
  let count = 0;
  const ledger: Partial<TokenLedger> = {
    enqueue: async () => ({ ...NOTHING, waitMs: 100 }),
    tick: async () => {
      count += 1;
      return { ...NOTHING, waitMs: undefined, rests: given.rests };
    },
    takeTicks: async () => true,
  };
  const { followsLedger } = given;
  const carries = followsLedger === undefined ? transport : { ...transport, followsLedger };
  const common = { functionName: "widget-grow", clock, timing: LEASE_TIMING, log: silentLog };
  await using queue = new TokenQueue({ ...common, transport: carries, ledger: ledger as TokenLedger });
  await clock.advance(60 * SECOND);
  expect(count).toBeGreaterThanOrEqual(given.fewest);
  expect(count).toBeLessThanOrEqual(given.most);
  count = 0;
  const enqueued = queue.enqueue([{ key: "default/w|Widget|default/w", priority: "live" }]);
  await clock.advance(150);
  await enqueued;
  expect(count).toBeGreaterThan(0);
});

it("Q-25: of three processes one ticks at a time; another one does when it is gone, and each while Redis is away", async () => {
  const clock = virtualClock();
  const ticked: string[] = [];
  let [freeAt, takes] = [0, 0];
  let isAway: boolean = false;
  const opened = ["a", "b", "c"].map((name) => {
    const ledger: Partial<TokenLedger> = {
      tick: async () => {
        ticked.push(name);
        return { ...NOTHING, waitMs: undefined };
      },
      takeTicks: async (_name, forMs) => {
        takes += 1;
        if (isAway) throw new Error("Redis is away");
        const now = clock.now().getTime();
        if (now < freeAt) return false;
        freeAt = now + forMs;
        return true;
      },
    };
    const common = { functionName: "widget-grow", transport, clock, timing: LEASE_TIMING, log: silentLog };
    return { name, queue: new TokenQueue({ ...common, ledger: ledger as TokenLedger }) };
  });
  await clock.advance(60 * SECOND);
  // One tick in 200 to 300 ms, as one process alone makes them; a gap of at most 300 ms where the ticks change hands.
  expect(ticked.length).toBeGreaterThan(150);
  expect(ticked.length).toBeLessThanOrEqual(300);
  expect(takes).toBeLessThanOrEqual(3 * 120 + 60);

  const last = opened.find(({ name }) => name === ticked.at(-1));
  await last?.queue[Symbol.asyncDispose]();
  ticked.length = 0;
  await clock.advance(2 * SECOND);
  expect(ticked.length).toBeGreaterThan(0);
  expect(ticked).not.toContain(last?.name);

  isAway = true;
  await clock.advance(3 * SECOND);
  ticked.length = 0;
  await clock.advance(SECOND);
  const others = opened.filter(({ name }) => name !== last?.name);
  expect(new Set(ticked)).toEqual(new Set(others.map(({ name }) => name)));
  await Promise.all(others.map(({ queue }) => queue[Symbol.asyncDispose]()));
});

const event = { key: "t|a", priority: "live" } as const;

describe("the token of an event whose seq is not known yet", () => {
  it("goes ahead for a single live event that is due now", () => {
    expect(tokenAhead([event])).toEqual({ key: "t|a", seq: "", priority: "live" });
  });

  it("does not go ahead for what is due later, of class resync, or one of several", () => {
    expect(tokenAhead([{ ...event, delayMs: 50 }])).toBeUndefined();
    expect(tokenAhead([{ ...event, priority: "resync" }])).toBeUndefined();
    expect(tokenAhead([event, { ...event, key: "t|b" }])).toBeUndefined();
    expect(tokenAhead([])).toBeUndefined();
  });
});
