import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../../infra/queue/claim.ts";
import { Ledger } from "../../../infra/queue/ledger.ts";
import { NaiveLedger, TERMS } from "./naive-ledger.ts";
import { type Operation, operations, outcomeOf } from "./operations.ts";

const anything = operations({
  keys: ["a", "b", "c"],
  delays: [0, 0, 50, 2_000, 9_000],
  afters: [undefined, undefined, 100, 3_000, 60_000],
});

/** Both ledgers side by side; every call must have the same answer. */
class Pair {
  readonly ledger = new Ledger(() => 0);
  readonly model = new NaiveLedger();
  readonly #claims: Claim[] = [];
  #now = 1_000_000;

  run(operation: Operation): void {
    // Distinct instants, so that order has one meaning.
    this.#now += operation.type === "pass" ? operation.ms + 1 : 1;
    this.ledger.tick(this.#now);
    this.model.tick(this.#now);
    if (operation.type === "claim") this.#claim();
    if (operation.type === "enqueue") {
      this.ledger.enqueue(this.#now, operation.entry);
      this.model.enqueue(this.#now, operation.entry);
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
    const { nextDueMs, ...counts } = this.ledger.depth(this.#now);
    expect(counts).toEqual(this.model.counts());
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

describe("the ledger", () => {
  it("Q-01 to Q-10, Q-13, Q-14, Q-17: does what the table says in any order of calls", () => {
    const property = fc.property(fc.array(anything, { maxLength: 60, size: "max" }), (all) => {
      const pair = new Pair();
      for (const operation of all) pair.run(operation);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("keeps the earliest instant after many changes of mind", () => {
    const ledger = new Ledger(() => 0);
    for (let n = 0; n < 2_000; n += 1)
      ledger.enqueue(0, { key: `k${n % 3}`, class: "live", delayMs: 5_000 - n });
    expect(ledger.nextAt()).toBe(3_001);
    expect(ledger.depth(0)).toMatchObject({ waiting: 3, nextDueMs: 3_001 });
    ledger.tick(3_003);
    expect(ledger.depth(3_003)).toEqual({ waiting: 0, ready: 3, running: 0, dead: 0 });
  });
});
