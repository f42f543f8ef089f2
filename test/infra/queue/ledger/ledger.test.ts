import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../../../infra/queue/claim.ts";
import { Ledger } from "../../../../infra/queue/ledger/ledger.ts";
import type { CountedFailure } from "../../../../infra/queue/ledger/ledger-deaths.ts";
import { LEDGER_LIMITS, type LedgerLimits } from "../../../../infra/queue/limits.ts";
import { NaiveLedger, TERMS } from "../naive-ledger.ts";
import { type Operation, operations, outcomeOf } from "../operations.ts";

const anything = operations({
  keys: ["t|a", "t|b", "t|c", "u|a", "u|b", "v"],
  delays: [0, 0, 50, 2_000, 9_000],
  afters: [undefined, undefined, 100, 3_000, 60_000],
});

const TERMINAL = outcomeOf({ how: "terminal", afterMs: undefined, requested: false, fenced: false });
const OK = outcomeOf({ how: "ok", afterMs: undefined, requested: false, fenced: false });

/** Both ledgers side by side; every call must have the same answer. */
class Pair {
  readonly ledger = new Ledger({
    random: () => 0,
    onFailure: ({ key, death }) => death && this.ledger.bury(this.#now, key, death.since),
  });
  readonly model = new NaiveLedger();
  readonly #claims: Claim[] = [];
  #now = 1_000_000;

  run(operation: Operation): void {
    // Distinct instants, so that order has one meaning.
    this.#now += operation.type === "pass" ? operation.ms + 1 : 1;
    this.ledger.tick(this.#now);
    this.model.rest(this.#now);
    if (operation.type === "claim") this.#claim();
    if (operation.type === "enqueue") {
      this.ledger.enqueue(this.#now, operation.entry);
      this.model.enqueue(this.#now, operation.entry);
    }
    if (operation.type === "pause") {
      this.ledger.pause(operation.paused);
      this.model.paused = operation.paused;
    }
    if (operation.type === "finish" || operation.type === "release") this.#end(operation);
    this.#compare();
  }

  #claim(): void {
    const owner = `o${this.#now}`;
    const claim = this.ledger.claim(this.#now, { ...TERMS, owner });
    const expected = this.model.claim(this.#now, owner);
    expect(claim).toEqual(expected === undefined ? undefined : { ...expected, owner });
    if (claim !== undefined) this.#claims.push(claim);
  }

  /** Also claims that ended long ago: they must be fenced. */
  #end(operation: Operation & { readonly type: "finish" | "release" }): void {
    const claim = this.#claims.at(-1 - (operation.back % Math.max(1, this.#claims.length)));
    if (claim === undefined) return;
    const [done, expected] =
      operation.type === "release"
        ? [this.ledger.release(this.#now, claim), this.model.release(this.#now, claim)]
        : [
            this.ledger.finish(this.#now, claim, outcomeOf(operation)),
            this.model.finish(this.#now, claim, outcomeOf(operation)),
          ];
    expect(done).toBe(expected);
  }

  #compare(): void {
    this.model.buryAll();
    const { nextDueMs, ...counts } = this.ledger.depth(this.#now);
    expect(counts).toMatchObject(this.model.counts());
    expect(counts.breakerOpen ?? false).toBe(this.model.nextClaimAt !== undefined);
    const waiting = this.model.rows
      .filter(({ state }) => state === "waiting")
      .map(({ due }) => due - this.#now);
    expect(nextDueMs).toBe(waiting.length === 0 ? undefined : Math.min(...waiting));
    const dead = this.model.rows.filter(({ state }) => state === "dead");
    expect(new Map(this.ledger.dead().map(({ key, failures }) => [key, failures]))).toEqual(
      new Map(dead.map(({ key, failures }) => [key, failures])),
    );
  }
}

function dieAt(ledger: Ledger, now: number, key: string): void {
  ledger.enqueue(now, { key, class: "live" });
  expect(ledger.claim(now, { ...TERMS, owner: "o" })?.key).toBe(key);
  ledger.finish(now, { key, owner: "o" }, TERMINAL);
}

/** No letters are kept. */
function buryingAtOnce(limits: Partial<LedgerLimits> = {}, drawn = 0): Ledger {
  const ledger: Ledger = new Ledger({
    random: () => drawn,
    onFailure: ({ key, death }) => death && ledger.bury(death.since.getTime(), key, death.since),
    limits,
  });
  return ledger;
}

describe("the ledger", () => {
  it("Q-01 to Q-14, Q-17: does what the table says in any order of calls", () => {
    const property = fc.property(fc.array(anything, { maxLength: 100, size: "max" }), (all) => {
      const pair = new Pair();
      for (const operation of all) pair.run(operation);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it("keeps the earliest instant after many changes of mind", () => {
    const ledger = buryingAtOnce();
    for (let n = 0; n < 2_000; n += 1)
      ledger.enqueue(0, { key: `k${n % 3}`, class: "live", delayMs: 5_000 - n });
    expect(ledger.nextAt()).toBe(3_001);
    expect(ledger.depth(0)).toMatchObject({ waiting: 3, nextDueMs: 3_001 });
    ledger.tick(3_003);
    expect(ledger.depth(3_003)).toMatchObject({ waiting: 0, ready: 3, running: 0, dead: 0 });
  });

  it("Q-11: a resync key that has been ready for a minute is no longer behind live ones", () => {
    const ledger = buryingAtOnce();
    ledger.enqueue(0, { key: "t|old", class: "resync" });
    ledger.tick(59_999);
    ledger.enqueue(59_999, { key: "t|a", class: "live" });
    ledger.tick(60_000);
    ledger.enqueue(60_000, { key: "t|b", class: "live" });
    const claimed = [1, 2, 3].map((n) => ledger.claim(60_000, { ...TERMS, owner: `${n}` })?.key);
    expect(claimed.slice(0, 2)).toEqual(["t|a", "t|old"]);
  });

  it("slows a function down while most of its runs fail, for as long as that is so", () => {
    const ledger = buryingAtOnce();
    const runOne = (now: number): boolean => {
      ledger.tick(now);
      const claim = ledger.claim(now, { ...TERMS, owner: "o" });
      return claim !== undefined && ledger.finish(now, claim, TERMINAL);
    };
    for (let n = 0; n < 200; n += 1) ledger.enqueue(0, { key: `t${n}|a`, class: "live" });
    for (let n = 0; n < 20; n += 1) expect(runOne(n)).toBe(true);
    expect(ledger.depth(20).breakerOpen).toBe(true);
    expect(runOne(20)).toBe(false);
    expect(ledger.nextAt()).toBe(1_019);
    expect(runOne(1_019)).toBe(true);
    expect(runOne(1_020)).toBe(false);
    // A minute without runs: nothing is known any more.
    ledger.tick(70_000);
    expect(ledger.depth(70_000).breakerOpen).toBeUndefined();
    expect([runOne(70_000), runOne(70_000)]).toEqual([true, true]);
  });

  it("Q-27: a breaker that old runs kept open opens for a second again, also where no tick came in between", () => {
    const ledger = buryingAtOnce();
    const claim = (now: number) => ledger.claim(now, { ...TERMS, owner: "o" });
    const fail = (now: number, claimed = claim(now)) => claimed && ledger.finish(now, claimed, TERMINAL);
    for (let n = 0; n < 30; n += 1) ledger.enqueue(0, { key: `t${n}|a`, class: "live" });
    const late = claim(0);
    fail(0);
    for (let n = 1; n < 20; n += 1) fail(10_000);
    expect(ledger.depth(10_000).breakerOpen).toBe(true);
    // The first failure is a minute old: 19 are left, and this one opens the breaker for a second again.
    fail(60_000, late);
    expect(ledger.depth(60_000).breakerOpen).toBe(true);
    expect(claim(60_999)).toBeUndefined();
    expect(claim(61_000)).toBeDefined();
  });

  it("Q-10, Q-26: forgets the dead key that is due first when there are too many, and no other", () => {
    const ledger = buryingAtOnce({ maxDead: 2 });
    for (const [now, key] of ["a", "b", "c"].entries()) {
      ledger.enqueue(now, { key, class: "live" });
      const claim = ledger.claim(now, { ...TERMS, owner: "o" });
      if (claim !== undefined) ledger.finish(now, claim, TERMINAL);
    }
    expect(ledger.dead().map(({ key }) => key)).toEqual(["b", "c"]);
    expect(ledger.depth(3)).toMatchObject({ dead: 2, deadEvicted: 1 });
    ledger.tick(LEDGER_LIMITS.slowMinMs - 1);
    expect(ledger.depth(0)).toMatchObject({ ready: 0, dead: 2 });
  });

  it("Q-10: a dead key is due 10 to 15 minutes after its last attempt", () => {
    for (const [drawn, minutes] of [
      [0, 10],
      [0.5, 12.5],
      [0.999_999, 15],
    ] as const) {
      const ledger = buryingAtOnce({}, drawn);
      dieAt(ledger, 7, "t|a");
      expect(Number(ledger.keyState("t|a")?.until) - 7).toBeCloseTo(minutes * 60_000, -1);
    }
  });

  it("Q-10: dead keys are tried two at a time, five a second, and behind all others", () => {
    const ledger = buryingAtOnce();
    for (const n of [1, 2, 3, 4]) dieAt(ledger, n, `t${n}|a`);
    const due = LEDGER_LIMITS.slowMinMs + 1_000;
    const readyAt = (now: number) => {
      ledger.tick(now);
      return ledger.depth(now).ready;
    };
    expect([readyAt(due), ledger.nextAt()]).toEqual([1, due + 200]);
    expect(readyAt(due + 199)).toBe(1);
    // The next thing is that the first of them joins the live keys.
    expect([readyAt(due + 200), ledger.nextAt()]).toEqual([2, due + LEDGER_LIMITS.agingMs]);
    expect(readyAt(due + 10_000)).toBe(2);
    for (const wanted of ["resync", "live"] as const)
      ledger.enqueue(due + 10_000, { key: `x|${wanted}`, class: wanted });
    const claimed = [1, 2, 3, 4, 5].map(() => ledger.claim(due + 10_000, { ...TERMS, owner: "o" })?.key);
    expect(claimed).toEqual(["x|live", "x|resync", "t1|a", "t2|a", undefined]);
    expect(readyAt(due + 10_001)).toBe(0);
    ledger.finish(due + 10_002, { key: "t1|a", owner: "o" }, TERMINAL);
    expect(readyAt(due + 10_002)).toBe(1);
    expect(ledger.dead().map(({ key }) => key)).toEqual(["t1|a", "t4|a"]);
  });

  it("Q-10, Q-27: what fails in the slow lane does not count for the breaker", () => {
    const ledger = buryingAtOnce();
    const runOne = (now: number): boolean => {
      ledger.tick(now);
      const claim = ledger.claim(now, { ...TERMS, owner: "o" });
      return claim !== undefined && ledger.finish(now, claim, TERMINAL);
    };
    for (let n = 0; n < 30; n += 1) {
      ledger.enqueue(n * 10_000, { key: `t${n}|a`, class: "live" });
      expect(runOne(n * 10_000)).toBe(true);
    }
    let tried = 0;
    for (let now = 1_000_000; now < 1_010_000; now += 200) tried += runOne(now) ? 1 : 0;
    expect(tried).toBe(30);
    expect(ledger.depth(1_010_000).breakerOpen).toBeUndefined();
    expect(ledger.counts().failures).toBe(60);
  });

  it("Q-34: counts what changes nothing for others", () => {
    const counts: string[] = [];
    const ledger = new Ledger({ random: () => 0, onCount: (counted) => counts.push(counted) });
    const counted = (): readonly string[] => counts.splice(0);
    const event = (wanted: "live" | "resync"): void => ledger.enqueue(0, { key: "t|a", class: wanted });
    const claim = (owner: string) => ledger.claim(0, { ...TERMS, owner, attempts: 2 });
    event("live");
    expect(counted()).toEqual([]);
    event("live");
    expect(counted()).toEqual(["coalesced"]);
    const first = claim("o1");
    event("live");
    event("live");
    expect(counted()).toEqual(["coalesced"]);
    ledger.tick(5_000);
    expect(counted()).toEqual(["expired"]);
    expect(first !== undefined && ledger.finish(5_000, first, OK)).toBe(false);
    expect(counted()).toEqual(["fenced"]);
  });

  it("Q-34: counts who brings dead keys back", () => {
    const counts: string[] = [];
    const ledger: Ledger = new Ledger({
      random: () => 0,
      onFailure: ({ key, death }) => death && ledger.bury(0, key, death.since),
      onCount: (counted) => counts.push(counted),
    });
    const runOnce = (owner: string): void => {
      const claim = ledger.claim(0, { ...TERMS, owner });
      if (claim !== undefined) ledger.finish(0, claim, TERMINAL);
    };
    ledger.enqueue(0, { key: "t|a", class: "live" });
    runOnce("o1");
    ledger.enqueue(0, { key: "t|a", class: "resync" });
    expect(counts).toEqual([]);
    ledger.tick(LEDGER_LIMITS.slowMinMs);
    runOnce("o2");
    ledger.enqueue(0, { key: "t|a", class: "live" });
    expect(counts).toEqual(["slow", "revivedLive"]);
  });

  it("Q-26: a key is not dead before it is buried, and its death is reported again until then", () => {
    const told: CountedFailure[] = [];
    const ledger = new Ledger({ random: () => 0, onFailure: (failed) => told.push(failed) });
    ledger.enqueue(7, { key: "t|a", class: "live" });
    const claim = ledger.claim(7, { ...TERMS, owner: "o1" });
    if (claim === undefined) throw new Error("no claim");
    expect(ledger.finish(7, claim, TERMINAL)).toBe(true);
    expect(told).toMatchObject([{ key: "t|a", owner: "o1", failures: 1, death: { since: new Date(7) } }]);
    expect(ledger.dead()).toEqual([]);
    expect(ledger.depth(7)).toMatchObject({ running: 1, dead: 0 });
    expect([ledger.finish(8, claim, TERMINAL), ledger.release(8, claim), ledger.renew(8, claim, 9)]).toEqual([
      false,
      false,
      false,
    ]);
    ledger.tick(10_007);
    expect(told).toHaveLength(2);
    expect(told[1]).toEqual(told[0]);
    ledger.bury(10_008, "t|a", new Date(7));
    expect(ledger.dead()).toMatchObject([{ key: "t|a", since: new Date(7), failures: 1 }]);
    ledger.bury(10_009, "t|a", new Date(7));
    expect(ledger.depth(10_009)).toMatchObject({ dead: 1 });
  });

  it("Q-10: an event while the letter is written revives the key as soon as it is buried", () => {
    const ledger = new Ledger({ random: () => 0 });
    ledger.enqueue(0, { key: "t|a", class: "live" });
    const claim = ledger.claim(0, { ...TERMS, owner: "o1" });
    if (claim === undefined) throw new Error("no claim");
    ledger.finish(0, claim, TERMINAL);
    ledger.enqueue(1, { key: "t|a", class: "live" });
    expect(ledger.claim(1, { ...TERMS, owner: "o2" })).toBeUndefined();
    ledger.bury(2, "t|a", new Date(0));
    expect(ledger.claim(2, { ...TERMS, owner: "o3" })).toMatchObject({ key: "t|a", failures: 0 });
  });

  it("Q-34: reports the lag of the tick", () => {
    const ledger = new Ledger({ random: () => 0 });
    ledger.enqueue(0, { key: "t|a", class: "live", delayMs: 100 });
    expect(ledger.depth(100).tickLagMs).toBeUndefined();
    expect(ledger.depth(2_100).tickLagMs).toBe(2_000);
    ledger.tick(2_100);
    expect(ledger.depth(2_100).tickLagMs).toBeUndefined();
  });
});
