import type { AnyOperation, Fault } from "../faults/fault.ts";
import { FAULTS } from "../faults/known.ts";
import type { Operation } from "../kernel.ts";
import { ORACLES } from "../oracles/known.ts";
import type { StoredChange } from "../oracles/oracle.ts";
import type { Prepared } from "../prepared.ts";
import { seeded } from "../seeded.ts";
import { stateOf } from "../state.ts";
import { createUser } from "../user.ts";
import { createWorld, type World } from "../world.ts";
import { createFingerprints, type Fingerprints } from "./fingerprint.ts";
import type { SmallWorld } from "./small-world.ts";

export interface Explored {
  /** Different states that were seen. */
  readonly states: number;
  /** Orders that were played to the end. */
  readonly orders: number;
  /** Everything was tried; false: there were more states than allowed. */
  readonly isComplete: boolean;
  /** Different worlds that it ended in: one, when all is well. */
  readonly endings: readonly string[];
  /** What an oracle objected to, each once. */
  readonly violations: readonly string[];
}

/** One choice: the operation, by its place among the steps, and whether the fault strikes there. */
interface Choice {
  readonly step: number;
  readonly strikes: boolean;
}

interface Search {
  readonly small: SmallWorld;
  readonly prepared: Prepared;
  /** States that were seen. */
  readonly seen: Set<string>;
  /** Beginnings that are still to be played. */
  readonly open: (readonly Choice[])[];
}

const SECOND = 1_000;
const SETTLING_MS = 20 * SECOND;
const ENDING_MS = 120 * SECOND;

/**
 * Plays every order of the steps of a small world, with its fault at every step where it may strike (6.4.3). Each order
 * is played from the beginning; in a state that was seen before only the first of its continuations is played on.
 */
export async function explore(small: SmallWorld, prepared: Prepared, maxStates: number): Promise<Explored> {
  const search: Search = { small, prepared, seen: new Set(), open: [[]] };
  const endings = new Set<string>();
  const violations = new Set<string>();
  let orders = 0;
  for (let next = search.open.pop(); next !== undefined; next = search.open.pop()) {
    if (search.seen.size > maxStates) break;
    const ending = await play(search, next, violations);
    orders += 1;
    if (ending !== undefined) endings.add(ending);
  }
  const isComplete = search.open.length === 0;
  return { states: search.seen.size, orders, isComplete, endings: [...endings], violations: [...violations] };
}

/**
 * Plays one beginning, then goes on with the first step each time. Returns the final state; undefined when it comes to
 * a state from which another order has gone on.
 */
async function play(
  search: Search,
  beginning: readonly Choice[],
  violations: Set<string>,
): Promise<string | undefined> {
  const { small, prepared } = search;
  const fault = FAULTS.find(({ number }) => number === small.fault);
  const picker = new Picker(search, beginning, fault);
  const functions = prepared.functions.filter(({ spec }) => small.functions.includes(spec.name));
  const world = await createWorld({
    ...prepared,
    functions,
    seed: 1,
    choose: (ready) => picker.choose(ready),
  });
  const fingerprints = createFingerprints(world);
  watch(world, violations, () => (picker.hasStruck ? 1 : 0));
  world.kernel.intercept((operation) => picker.strike(operation, world));
  const user = createUser(world);
  world.start("relay");
  world.start("worker-1");
  const isReady = finished(user.apply(small.manifests));
  await world.kernel.run(ENDING_MS, isReady);
  await world.kernel.run(SETTLING_MS);
  picker.begin(fingerprints, world);
  const edits = small.edits.map((edit) => finished(edit(user)));
  await world.kernel.run(ENDING_MS, () => picker.isKnown || edits.every((isOver) => isOver()));
  await world.kernel.run(SETTLING_MS, () => picker.isKnown);
  picker.end();
  await world.kernel.run(ENDING_MS, () => picker.isKnown);
  const state = picker.isKnown ? undefined : await stateOf(world);
  for (const role of ["relay", "worker-1"] as const) world.processOf(role)?.kill();
  return state && [...state].map(([name, text]) => `${name} ${text}`).join("\n");
}

function finished(work: Promise<void>): () => boolean {
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  return () => isOver;
}

function watch(world: World, violations: Set<string>, faultsSoFar: () => number): void {
  const observers: ((change: StoredChange) => void)[] = [];
  world.management.onChange((type, change) => {
    const after = change.type === "DELETED" ? undefined : change.object;
    for (const observer of observers) observer({ type, before: change.previous, after } as StoredChange);
  });
  for (const { number, watch: begin } of ORACLES) {
    begin({
      world,
      onChange: (observer) => void observers.push(observer),
      onRest: () => undefined,
      evaluated: () => undefined,
      violated: (what) => void violations.add(`${number}: ${what}`),
      faultsSoFar,
    });
  }
}

/** What others can see: all else happens at once, in one order. */
const STEPS: ReadonlySet<string> = new Set(["request", "answer", "line", "ledger", "token"]);

/** Decides what is next: what was chosen, then always the first, and notes what could have been next instead. */
class Picker {
  readonly #search: Search;
  readonly #beginning: readonly Choice[];
  readonly #fault: Fault | undefined;
  readonly #made: Choice[] = [];
  readonly #own = new Set<string>();
  #fingerprints: Fingerprints | undefined;
  #world: World | undefined;
  #strikesNext: boolean = false;
  /** This order has come to a state from which another one has gone on. */
  isKnown: boolean = false;
  hasStruck: boolean = false;

  constructor(search: Search, beginning: readonly Choice[], fault: Fault | undefined) {
    this.#search = search;
    this.#beginning = beginning;
    this.#fault = fault;
  }

  begin(fingerprints: Fingerprints, world: World): void {
    this.#fingerprints = fingerprints;
    this.#world = world;
  }

  end(): void {
    this.#fingerprints = undefined;
  }

  choose(ready: readonly Operation[]): number {
    const fingerprints = this.#fingerprints;
    if (fingerprints === undefined) return 0;
    const quiet = ready.findIndex(({ kind, isQuiet }) => isQuiet === true || !STEPS.has(kind));
    if (quiet >= 0) return quiet;
    const byName = new Map(ready.map((operation) => [fingerprints.nameOf(operation), operation]));
    const steps = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, operation]) => operation);
    const choice = this.#beginning[this.#made.length] ?? this.#first(fingerprints, ready, steps);
    this.#made.push(choice);
    this.#strikesNext = choice.strikes;
    return ready.indexOf(steps[choice.step] as Operation);
  }

  #first(fingerprints: Fingerprints, ready: readonly Operation[], steps: readonly Operation[]): Choice {
    const first = { step: 0, strikes: false };
    const { seen, open } = this.#search;
    const state = fingerprints.of(ready, `${this.hasStruck}`);
    // Time has passed and nothing else: the same order goes on.
    if (this.#own.has(state)) return first;
    this.#own.add(state);
    if (this.isKnown || seen.has(state)) {
      this.isKnown = true;
      return first;
    }
    seen.add(state);
    for (const [step, operation] of steps.entries()) {
      if (step > 0) open.push([...this.#made, { step, strikes: false }]);
      if (this.#mayStrike(operation)) open.push([...this.#made, { step, strikes: true }]);
    }
    return first;
  }

  #mayStrike(operation: Operation): boolean {
    if (this.hasStruck || this.#fault === undefined || this.#world === undefined) return false;
    return this.#fault.isSite(operation as AnyOperation, this.#world);
  }

  strike(operation: Operation, world: World): boolean {
    if (!this.#strikesNext || this.#fault === undefined) return false;
    this.#strikesNext = false;
    this.hasStruck = true;
    const ways = this.#fault.waysAt?.(operation as AnyOperation, world) ?? [""];
    this.#fault.strike(operation as AnyOperation, world, seeded(1, "fault"), ways[0] ?? "");
    return true;
  }
}
