import { Storage } from "../../../infra/playground/apiserver/entry.ts";
import type { AnyOperation, Fault } from "../faults/fault.ts";
import { FAULTS } from "../faults/known.ts";
import type { Operation, Process } from "../kernel/kernel.ts";
import { seeded } from "../kernel/seeded.ts";
import { ORACLES } from "../oracles/known.ts";
import type { StoredChange } from "../oracles/oracle.ts";
import type { Prepared } from "../play/prepared.ts";
import { stateOf } from "../play/state.ts";
import { createUser } from "../play/user.ts";
import { createWorld, type World } from "../play/world.ts";
import { createFingerprints, type Fingerprint } from "./fingerprint.ts";
import { type Footprint, footprintOf, footprintOfStrike, mayBeFirst } from "./independence.ts";
import type { SmallWorld } from "./small-world.ts";

/** One thing that can happen next. */
export interface Step {
  /** The same for the same step in every order; ends with the fault, if it strikes there. */
  readonly name: string;
  readonly strikes: boolean;
  readonly footprint: Footprint;
}

/** A state with more than nothing to decide: what it is, and what can be next. */
export interface Point {
  readonly fingerprint: () => Fingerprint;
  /** By name; never empty. */
  readonly steps: readonly Step[];
}

/** Which of the steps is next; undefined: the order ends here. */
export type Decide = (point: Point) => Step | undefined;

interface Order {
  readonly small: SmallWorld;
  /** Of `prepareSmall`. */
  readonly prepared: Prepared;
  readonly decide: Decide;
  /** Called with the objection of an oracle. */
  readonly violated?: (what: string) => void;
}

const SECOND = 1_000;
/** Operations that are left when a relay and a worker have started, and after the last retry. */
const SETTLING_MS = 5 * SECOND;
const ENDING_MS = 120 * SECOND;

/** Lets a small world come to rest once, so that every order begins with a server that has all its objects. */
export async function prepareSmall(small: SmallWorld, prepared: Prepared): Promise<Prepared> {
  const functions = prepared.functions.filter(({ spec }) => small.functions.includes(spec.name));
  const world = await createWorld({ ...prepared, functions, seed: 1, isSteady: true });
  start(world);
  await world.kernel.run(ENDING_MS, finished([createUser(world).apply(small.manifests)]));
  await world.kernel.run(ENDING_MS);
  end(world);
  const copy = withoutOtherKinds(world.management.storage, world.kernel.process("copy"));
  return { ...prepared, functions, prepared: copy };
}

/**
 * The same objects; of the CRDs only those that any of them needs, because every relay begins with reading them all.
 */
function withoutOtherKinds(storage: Storage, { clock }: Process): Storage {
  const kept = new Storage(storage.version, clock);
  const kinds = [...storage.collections].map(([type]) => type.split("/").reverse().join("."));
  for (const [type, collection] of storage.collections) {
    for (const object of collection.values())
      if (!type.endsWith("/customresourcedefinitions") || kinds.includes(object.metadata.name))
        kept.restore(type, object);
  }
  return kept;
}

/**
 * Plays one order from the first edit on until nothing is left to do: `decide` says what is next among what others can
 * see, all else happens at once. Returns what there is in the end; undefined when the order was ended.
 */
export async function playOrder(order: Order): Promise<string | undefined> {
  const { small, prepared, decide } = order;
  const director = new Director(small, decide);
  const world = await createWorld({
    ...prepared,
    seed: 1,
    isSteady: true,
    choose: (ready) => director.choose(ready),
  });
  const user = createUser(world);
  start(world);
  await world.kernel.run(SETTLING_MS);
  if (order.violated !== undefined) watch(world, order.violated, () => (director.hasStruck ? 1 : 0));
  director.begin(world);
  const isOver = finished(small.edits.map((edit) => edit(user)));
  do {
    await world.kernel.run(ENDING_MS, () => director.isEnded || (isOver() && world.ledger.busy() === 0));
    await world.kernel.run(SETTLING_MS, () => director.isEnded);
  } while (!director.isEnded && world.ledger.busy() > 0);
  director.leave();
  await world.kernel.run(ENDING_MS, () => director.isEnded);
  const state = director.isEnded ? undefined : await stateOf(world);
  end(world);
  return state && [...state].map(([name, text]) => `${name} ${text}`).join("\n");
}

function start(world: World): void {
  world.start("relay");
  world.start("worker-1");
}

function end(world: World): void {
  for (const role of ["relay", "worker-1"] as const) world.processOf(role)?.kill();
}

function finished(works: readonly Promise<void>[]): () => boolean {
  let left = works.length;
  for (const work of works) {
    void work.then(() => {
      left -= 1;
    });
  }
  return () => left === 0;
}

function watch(world: World, violated: (what: string) => void, faultsSoFar: () => number): void {
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
      violated: (what) => violated(`${number}: ${what}`),
      faultsSoFar,
    });
  }
}

/** Operations that other processes can observe: all others happen at once, in one order. */
const STEPS: ReadonlySet<string> = new Set(["request", "answer", "line", "ledger", "token"]);

/** Lets one order be decided step by step, once it has begun. */
class Director {
  readonly #decide: Decide;
  readonly #fault: Fault | undefined;
  #world: World | undefined;
  #pointOf: ((ready: readonly Operation[]) => { steps: Map<Step, Operation>; point: Point }) | undefined;
  #strikesNext: boolean = false;
  isEnded: boolean = false;
  hasStruck: boolean = false;

  constructor({ fault }: SmallWorld, decide: Decide) {
    this.#decide = decide;
    this.#fault = FAULTS.find(({ number }) => number === fault);
  }

  begin(world: World): void {
    const fingerprints = createFingerprints(world);
    this.#world = world;
    world.kernel.intercept((operation) => this.#strike(operation, world));
    this.#pointOf = (ready) => {
      // Two of the same name do the same.
      const named = new Map(ready.map((operation) => [fingerprints.nameOf(operation), operation]));
      const steps = new Map([...named].flatMap(([name, operation]) => this.#stepsOf(name, operation)));
      const sorted = [...steps.keys()].sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        steps,
        point: { steps: sorted, fingerprint: () => fingerprints.of(ready, `struck ${this.hasStruck}`) },
      };
    };
  }

  /** The remaining operations happen in one order. */
  leave(): void {
    this.#pointOf = undefined;
  }

  choose(ready: readonly Operation[]): number {
    if (this.#pointOf === undefined || this.isEnded) return 0;
    const unseen = ready.findIndex((operation) => this.#isUnseen(operation));
    if (unseen >= 0) return unseen;
    const { steps, point } = this.#pointOf(ready);
    const next = this.#decide(point);
    this.isEnded = next === undefined;
    this.#strikesNext = next?.strikes ?? false;
    const operation = next === undefined ? undefined : steps.get(next);
    return operation === undefined ? 0 : ready.indexOf(operation);
  }

  #isUnseen(operation: Operation): boolean {
    const { kind, isQuiet = false, process } = operation;
    if (isQuiet || !process.isAlive || !STEPS.has(kind)) return true;
    return mayBeFirst(operation as AnyOperation, this.#fault?.number);
  }

  #stepsOf(name: string, operation: Operation): readonly (readonly [Step, Operation])[] {
    const own = operation as AnyOperation;
    const plain = { name, strikes: false, footprint: footprintOf(own) };
    if (!this.#mayStrike(own)) return [[plain, operation]];
    const number = this.#fault?.number ?? "";
    const footprint = footprintOfStrike(number, own);
    return [
      [plain, operation],
      [{ name: `${name} ${number}`, strikes: true, footprint }, operation],
    ];
  }

  #mayStrike(operation: AnyOperation): boolean {
    if (this.hasStruck || this.#fault === undefined || this.#world === undefined) return false;
    return this.#fault.isSite(operation, this.#world);
  }

  #strike(operation: Operation, world: World): boolean {
    if (!this.#strikesNext || this.#fault === undefined) return false;
    this.#strikesNext = false;
    this.hasStruck = true;
    const ways = this.#fault.waysAt?.(operation as AnyOperation, world) ?? [""];
    this.#fault.strike(operation as AnyOperation, world, seeded(1, "fault"), ways[0] ?? "");
    return true;
  }
}
