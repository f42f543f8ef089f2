import type { Prepared } from "../play/prepared.ts";
import { hashOf, type Part } from "./fingerprint.ts";
import { commute } from "./independence.ts";
import { type Point, playOrder, prepareSmall, type Step } from "./order.ts";
import type { SmallWorld } from "./small-world.ts";

interface Explored {
  /** Different states that were seen. */
  readonly states: number;
  /** Orders that were played, most of them up to a state from which another one has continued. */
  readonly orders: number;
  /** Everything was tried; false: there were more states than allowed. */
  readonly isComplete: boolean;
  /** Different worlds that it ended in: one, when all is well. */
  readonly endings: readonly string[];
  /** Objections of oracles, each once. */
  readonly violations: readonly string[];
}

export interface Progress {
  readonly states: number;
  readonly orders: number;
  /** Beginnings that are still to be played. */
  readonly open: number;
}

interface ExploreOptions {
  readonly small: SmallWorld;
  readonly prepared: Prepared;
  readonly maxStates: number;
  /** Play steps that commute in every order, too: the same states, by more ways. */
  readonly isThorough?: boolean;
  /** Parts of a state that do not count, to see what they are for. */
  readonly leftOut?: readonly Part[];
  /** Called after every order. */
  readonly onOrder?: (progress: Progress) => void;
  /** Called with every way to a state, the first one and others. */
  readonly onState?: (state: string, way: readonly string[], point: Point) => void;
}

/** Steps that need not be next, because the same states are found where they were: by name. */
type Asleep = ReadonlyMap<string, Step>;

/** A way that is still to be played: its last step is what is new. */
interface Beginning {
  readonly way: readonly string[];
  readonly asleep: Asleep;
}

/**
 * Plays every order of the steps of a small world, with its fault at every step where it may strike (6.4.3).
 * Each order is played from the beginning. In a state that was seen before only those steps are played that were asleep
 * then and are not now. Of orders that differ in steps which commute one is played: sleep sets, as in P. Godefroid,
 * Partial-Order Methods for the Verification of Concurrent Systems, chapter 5.
 */
export async function explore(options: ExploreOptions): Promise<Explored> {
  const { small, maxStates, onOrder } = options;
  const prepared = await prepareSmall(small, options.prepared);
  const search = new Search(options);
  const endings = new Set<string>();
  const violations = new Set<string>();
  let orders = 0;
  while (search.states <= maxStates) {
    const next = search.next();
    if (next === undefined) break;
    const decide = search.decider(next);
    const ending = await playOrder({ small, prepared, decide, violated: (what) => violations.add(what) });
    if (ending !== undefined) endings.add(ending);
    orders += 1;
    onOrder?.({ states: search.states, orders, open: search.open });
  }
  return {
    states: search.states,
    orders,
    isComplete: search.open === 0,
    endings: [...endings],
    violations: [...violations],
  };
}

class Search {
  readonly #options: ExploreOptions;
  /** By state: what was asleep whenever it was seen. */
  readonly #seen = new Map<string, Asleep>();
  readonly #open: Beginning[] = [{ way: [], asleep: new Map() }];

  constructor(options: ExploreOptions) {
    this.#options = options;
  }

  get states(): number {
    return this.#seen.size;
  }

  get open(): number {
    return this.#open.length;
  }

  /** The deepest one first: what is asleep there has been played. */
  next(): Beginning | undefined {
    return this.#open.pop();
  }

  /** Follows a beginning, then takes the first step that is awake each time, and keeps the others for later. */
  decider({ way: beginning, asleep: initial }: Beginning): (point: Point) => Step | undefined {
    const way: string[] = [];
    const own = new Set<string>();
    let asleep = initial;
    return (point) => {
      const wanted = beginning[way.length];
      const isNew = wanted === undefined;
      const step = isNew ? this.#first(point, [...way], asleep, own) : stepNamed(point, wanted, beginning);
      if (step === undefined) return undefined;
      if (isNew) asleep = stillAsleep(asleep.values(), step);
      way.push(step.name);
      return step;
    };
  }

  #first(point: Point, way: readonly string[], asleep: Asleep, own: Set<string>): Step | undefined {
    const { onState, isThorough = false, leftOut } = this.#options;
    const state = hashOf(point.fingerprint(), leftOut);
    // Time has passed and nothing else: the same order continues.
    if (own.has(state)) return point.steps[0];
    own.add(state);
    onState?.(state, way, point);
    const before = this.#seen.get(state);
    const both = before === undefined ? asleep : bothAsleep(before, asleep);
    this.#seen.set(state, both);
    const fresh = point.steps.filter(({ name }) => !asleep.has(name) && (before?.has(name) ?? true));
    const beginnings = fresh.map((step, at): Beginning => {
      const others = isThorough ? [] : [...both.values(), ...fresh.slice(0, at)];
      return { way: [...way, step.name], asleep: stillAsleep(others, step) };
    });
    this.#open.push(...beginnings.slice(1).reverse());
    return fresh[0];
  }
}

function stepNamed({ steps }: Point, wanted: string, way: readonly string[]): Step {
  const step = steps.find(({ name }) => name === wanted);
  if (step !== undefined) return step;
  throw new Error(`the same way has come to another place: no ${wanted} after ${way.join(", ")}`);
}

/** Returns the steps that stay asleep after a step: before or after it, they lead to the same states. */
function stillAsleep(asleep: Iterable<Step>, made: Step): Asleep {
  const still = [...asleep].filter(({ footprint }) => commute(footprint, made.footprint));
  return new Map(still.map((step) => [step.name, step]));
}

function bothAsleep(one: Asleep, other: Asleep): Asleep {
  return new Map([...one].filter(([name]) => other.has(name)));
}
