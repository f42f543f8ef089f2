import type { Defect } from "../defects/defect.ts";
import { leakedTimers, type Timers, timersAtRest } from "../kernel/timers.ts";
import type { Workload } from "../workloads/workload.ts";
import { bounds } from "./bounds.ts";
import { type Counters, observe } from "./counters.ts";
import { type Injection, inject, type Plan, type PlannedFault } from "./plan.ts";
import type { Prepared } from "./prepared.ts";
import { differencesOf, type State, stateOf } from "./state.ts";
import { createUser } from "./user.ts";
import { createWorld, type World } from "./world.ts";

export interface RunOptions {
  readonly seed: number;
  readonly workload: Workload;
  readonly plan: Plan;
  readonly prepared: Prepared;
  /** The run without faults to compare with; absent: this is one. */
  readonly reference?: RunResult | undefined;
  /** Continue with faults for so long, whenever the users are done. */
  readonly faultyMs?: number | undefined;
  readonly keepTrace?: boolean;
  readonly defect?: Defect | undefined;
  /** When to stop; default: at the first violation of a defect. */
  readonly isEnough?: ((violations: readonly string[]) => boolean) | undefined;
  /** Everything happens in one order, and every jitter is its mean: what is counted does not depend on chance. */
  readonly isSteady?: boolean;
  /** Looks on from the first step. */
  readonly onlooker?: Onlooker | undefined;
}

export interface Onlooker {
  begin(world: World): void;
  /** In the end, when everything has had its time to come to rest. */
  end?(world: World): Promise<void>;
}

export interface RunResult {
  readonly hash: string;
  readonly state: State;
  /** Creations and deletions, by kind. */
  readonly history: ReadonlyMap<string, number>;
  /** Requests that API servers answered, and the bytes of bodies and answers. */
  readonly requests: number;
  readonly bytes: number;
  /** How often each oracle had something to check, by its name. */
  readonly evaluations: ReadonlyMap<string, number>;
  /** Runs of functions. */
  readonly runs: number;
  readonly steps: number;
  /** At rest, by role; empty when the run ended before. */
  readonly timers: Timers;
  /** Simulated milliseconds until the users were done, and altogether. */
  readonly doneAfterMs: number;
  readonly simulatedMs: number;
  readonly struck: readonly PlannedFault[];
  readonly sites: readonly PlannedFault[];
  /** `F-18: …`; empty when everything is as it should be. */
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Users give up. */
const PATIENCE_MS = 4 * 60 * MINUTE;
/** The bound of F-01: the cap of the backoff with its jitter, and 30 s. */
const BOUND_MS = 5.5 * MINUTE + 30 * SECOND;
const RESYNC_MS = 10 * MINUTE;
/** A dead key is tried again by then, if it is the only one, and dead keys begin at this distance. */
const SLOW_MS = 15 * MINUTE;
const SLOW_EVERY_MS = SECOND / 5;
/** F-02: two relist periods. */
const QUIET_MS = 2 * RESYNC_MS;
/**
 * Time for operations that were on their way when the last difference went, held up by a process that stands
 * still or by the network.
 */
const UNDER_WAY_MS = 2 * MINUTE;
/** More would only repeat themselves. */
const MAX_VIOLATIONS = 20;

/** Plays a workload under a plan: users edit, faults strike, all heals, and everything must be as without faults. */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  const { seed, workload, plan, prepared, reference, faultyMs = 0, keepTrace = false, defect } = options;
  const { isSteady = false, onlooker } = options;
  const { isEnough = (known) => defect !== undefined && known.length > 0 } = options;
  const { relays } = workload;
  const world = await createWorld({
    ...prepared,
    seed,
    keepTrace,
    defect,
    relays,
    isSteady,
    isInOrder: isSteady,
  });
  onlooker?.begin(world);
  const { kernel } = world;
  const violations: string[] = [];
  const violated = (what: string): void => {
    kernel.trace.add(`violated: ${what}`);
    if (violations.length < MAX_VIOLATIONS) violations.push(what);
  };
  const injection = inject(world, plan, seed);
  const counters = observe(world, violated, () => injection.struck.length);
  // Of a defect one violation is enough; its consequences may continue for ever.
  const isFound = (): boolean => isEnough(violations);
  const rejected = (error: unknown): void => violated(`rejection: unhandled rejection: ${String(error)}`);
  process.on("unhandledRejection", rejected);
  try {
    const startedAt = kernel.now;
    for (const role of world.roles) world.start(role);
    let isDone = false;
    void workload.run(createUser(world)).then(() => {
      isDone = true;
    });
    const isOver = (): boolean => isDone || isFound();
    await kernel.run(Math.max(PATIENCE_MS, faultyMs), isOver);
    // Who gets nowhere among faults must without them.
    if (!isOver()) injection.heal();
    await kernel.run(PATIENCE_MS, isOver);
    const doneAfterMs = kernel.now - startedAt;
    if (!isOver()) violated(`F-01: ${workload.number} did not come to its end in 4 hours without faults`);
    const isQuiet = (): boolean => isFound() || injection.isSpent;
    if (faultyMs > doneAfterMs) await kernel.run(faultyMs - doneAfterMs, isQuiet);
    injection.heal();
    let timers: Timers = new Map();
    if (!isFound()) {
      await converge(world, reference, violated);
      timers = await rest({ world, counters, reference }, violated);
      for (const check of counters.checks) await check();
      await onlooker?.end?.(world);
    }
    const state = await stateOf(world);
    compare({ workload, counters, reference, injection }, violated);
    return {
      hash: kernel.trace.hash(),
      state,
      history: counters.history,
      requests: counters.requests,
      bytes: counters.bytes,
      evaluations: counters.evaluations,
      runs: counters.runs,
      steps: kernel.steps,
      timers,
      doneAfterMs,
      simulatedMs: kernel.now - startedAt,
      struck: injection.struck,
      sites: injection.sites,
      violations,
      trace: kernel.trace.lines,
    };
  } finally {
    process.off("unhandledRejection", rejected);
    for (const role of world.roles) world.processOf(role)?.kill();
  }
}

/**
 * F-01: within the bound the world is what it is without faults. Without anything to compare with, it just
 * takes its time.
 */
async function converge(
  world: World,
  reference: RunResult | undefined,
  violated: (what: string) => void,
): Promise<void> {
  const { kernel } = world;
  if (reference === undefined) {
    await kernel.run(BOUND_MS);
    return;
  }
  const until = kernel.now + BOUND_MS + slowMs(world);
  let differences = differencesOf(reference.state, await stateOf(world));
  for (let pauseMs = SECOND; differences.length > 0 && kernel.now < until; pauseMs *= 1.5) {
    await kernel.run(Math.min(pauseMs, until - kernel.now));
    differences = differencesOf(reference.state, await stateOf(world));
  }
  for (const difference of differences) violated(`F-01: ${difference}`);
}

/** For so long after the last fault a dead key may wait for its attempt, which may write then; 0 where none has died. */
function slowMs({ failures }: World): number {
  const dead = new Set(failures.flatMap((run) => (run.death ? [`${run.function} ${run.key}`] : [])));
  return dead.size === 0 ? 0 : SLOW_MS + dead.size * SLOW_EVERY_MS;
}

interface Resting {
  readonly world: World;
  readonly counters: Counters;
  readonly reference: RunResult | undefined;
}

/**
 * F-02: no function writes any more. Nor are there more timers than in a world without faults, or more than there were
 * before the rest; returns how many there are.
 */
async function rest(
  { world, counters, reference }: Resting,
  violated: (what: string) => void,
): Promise<Timers> {
  await world.kernel.run(UNDER_WAY_MS + slowMs(world));
  const timersBefore = await timersAtRest(world.kernel, world.tokens.queuesOf);
  const before = counters.writes;
  await world.kernel.run(QUIET_MS);
  if (counters.writes > before)
    violated(`F-02: ${counters.writes - before} writes at rest, the last: ${counters.lastWrite}`);
  const timers = await timersAtRest(world.kernel, world.tokens.queuesOf);
  for (const leak of leakedTimers(reference?.timers ?? timersBefore, timers)) violated(`bound: ${leak}`);
  return timers;
}

interface Compared {
  readonly workload: Workload;
  readonly counters: Counters;
  readonly reference: RunResult | undefined;
  readonly injection: Injection;
}

/**
 * Detour and bound. A create that a server carries out without a waiter cannot be guarded: its object may
 * have come and gone by then. It is one too many, and must only go again.
 */
function compare(
  { workload, counters, reference, injection }: Compared,
  violated: (what: string) => void,
): void {
  if (reference === undefined) return;
  for (const what of new Set([...reference.history.keys(), ...counters.history.keys()])) {
    if (what.endsWith(" /events")) continue;
    const [expected = 0, found = 0] = [reference.history.get(what), counters.history.get(what)];
    if (expected !== found && counters.madeLate === 0 && !injection.hasDetours && !workload.isRace)
      violated(`detour: ${found} times ${what}, without faults ${expected} times`);
  }
  const most = bounds(reference, counters, injection.struck);
  for (const what of ["runs", "requests", "bytes"] as const)
    if (counters[what] > most[what])
      violated(
        `bound: ${counters[what]} ${what}, without faults ${reference[what]}, at most ${Math.round(most[what])}`,
      );
}
