import { plan } from "./plan.ts";
import type { Change, Plan, PlanSet, PlanSpec, SetCounts } from "./plan-types.ts";
import { countsOf, sum } from "./sizes.ts";

export interface RehearsedMachine {
  readonly name: string;
  readonly available: boolean;
  /** It is not available yet, and nothing says that it will not be. */
  readonly starting?: boolean;
  /** It is being deleted already. */
  readonly deleting: boolean;
}

/** A set with its Machines in the order in which they go. */
export interface RehearsedSet extends PlanSet {
  readonly machines: readonly RehearsedMachine[];
  /** Machines that it makes during the rehearsal. */
  readonly made?: number;
}

export interface Rehearsing {
  readonly spec: PlanSpec;
  readonly sets: readonly RehearsedSet[];
  readonly now: number;
  /** The name of a set that is made. */
  readonly newSet: string;
  /** Whether Machines of the current template become available, `none`: whether they are made at all. */
  readonly newMachines: "available" | "never" | "none";
}

/** One plan, and what the sets make of it. */
export interface Step {
  readonly changes: readonly Change[];
  readonly made: readonly { readonly set: string; readonly count: number }[];
  /** Machines that go; without a name those that the rehearsal itself has made. */
  readonly gone: readonly { readonly set: string; readonly machine?: string | undefined }[];
  /** Machines after the step. */
  readonly total: number;
  /** Available Machines before those that the step makes become available. */
  readonly available: number;
}

/** A rollout from beginning to end. */
export interface Rehearsal {
  readonly steps: readonly Step[];
  /** The sets at its end. */
  readonly sets: readonly RehearsedSet[];
  /** The plan at its end: done, or what it waits for. */
  readonly end: Plan;
  /** It has more steps than a rehearsal takes. */
  readonly isCut: boolean;
}

/** 10,000 Machines, one by one. */
const MAX_STEPS = 20_000;

/**
 * Returns all steps of a rollout in advance: plans, follows each plan with a model of the sets, and plans again until
 * nothing changes. A set has its size at once, and loses Machines in their order.
 */
export function rehearse(rehearsing: Rehearsing): Rehearsal {
  const steps: Step[] = [];
  let { sets } = rehearsing;
  for (;;) {
    const end = plan(rehearsing.spec, sets, rehearsing.now);
    const next = stepOf(rehearsing, sets, end);
    if (next === undefined || steps.length >= MAX_STEPS)
      return { steps, sets, end, isCut: next !== undefined };
    if (next.isSeen) steps.push(next.step);
    sets = next.sets;
  }
}

interface Followed {
  readonly set: RehearsedSet;
  readonly gone: readonly RehearsedMachine[];
  /** Machines that are gone and that the rehearsal itself has made. */
  readonly goneMade: number;
  readonly count: number;
  /** Available Machines before new ones are. */
  readonly available: number;
}

/** Returns the next step and the sets after it; `undefined` when nothing changes any more. */
function stepOf(
  rehearsing: Rehearsing,
  sets: readonly RehearsedSet[],
  { changes, current }: Plan,
): { readonly step: Step; readonly sets: readonly RehearsedSet[]; readonly isSeen: boolean } | undefined {
  const applied = apply(rehearsing, sets, changes);
  const isDue = changes.some((change) => change.do === "create");
  const ofTemplate = isDue ? rehearsing.newSet : current;
  const all = applied.map((set) => follow(rehearsing, set, set.name === ofTemplate));
  const made = all.flatMap(({ set, count }) => (count > 0 ? [{ set: set.name, count }] : []));
  const gone = all.flatMap(({ set, gone: machines, goneMade }) => [
    ...machines.map(({ name }) => ({ set: set.name, machine: name })),
    ...Array.from({ length: goneMade }, () => ({ set: set.name })),
  ]);
  const isQuiet = changes.length + made.length + gone.length === 0;
  const differs = (...counts: readonly Count[]) =>
    all.some(({ set }, at) => set.deleting || !sameCounts(set, applied[at], counts));
  if (isQuiet && !differs("replicas", "available", "upToDate", "observed")) return undefined;
  const step = {
    ...{ changes, made, gone },
    total: sum(all, ({ set }) => countsOf(set).replicas),
    available: sum(all, ({ available }) => available),
  };
  return {
    step,
    sets: all.map(({ set }) => set).filter(({ deleting }) => !deleting),
    // A counter that lags is not a step.
    isSeen: !isQuiet || differs("replicas", "available"),
  };
}

type Count = keyof SetCounts;

function sameCounts(set: PlanSet, before: PlanSet | undefined, counts: readonly Count[]): boolean {
  return before !== undefined && counts.every((count) => countsOf(set)[count] === countsOf(before)[count]);
}

function apply(
  { spec, now, newSet }: Rehearsing,
  sets: readonly RehearsedSet[],
  changes: readonly Change[],
): readonly RehearsedSet[] {
  const of = (name: string) => changes.filter((change) => change.do !== "create" && change.set === name);
  const staying = sets.filter(({ name }) => of(name).every((change) => change.do !== "remove"));
  const changed = staying.map((set) => of(set.name).reduce(changedBy, set));
  const born = { name: newSet, createdAt: now, bornFor: spec.after, deleting: false };
  const wish = { desired: String(spec.replicas), rollout: spec.rollout };
  const made = changes.flatMap((change) =>
    change.do === "create"
      ? [{ ...born, ...wish, replicas: change.replicas, revision: change.revision, machines: [] }]
      : [],
  );
  return [...changed, ...made];
}

function changedBy(set: RehearsedSet, change: Change): RehearsedSet {
  if (change.do === "resize") return { ...set, replicas: change.to };
  return change.do === "revise" ? { ...set, revision: change.revision, history: change.history } : set;
}

/** A set that is being deleted loses all its Machines; old sets make none with OnDelete. */
function follow({ spec, newMachines }: Rehearsing, set: RehearsedSet, isCurrent: boolean): Followed {
  const { made = 0 } = set;
  const size = set.deleting ? 0 : set.replicas;
  const staying = set.machines.filter(({ deleting }) => !deleting);
  const surplus = Math.max(staying.length + made - size, 0);
  const victims = staying.slice(0, surplus);
  const goneMade = surplus - victims.length;
  const machines = staying.slice(victims.length);
  const isFrozen = isCurrent ? newMachines === "none" : spec.strategy === "OnDelete";
  const count = isFrozen ? 0 : Math.max(size - machines.length - made, 0);
  const isSound = !isCurrent || newMachines === "available";
  const known = machines.filter(({ available }) => available).length;
  const started = machines.map((one) => ({
    ...one,
    available: one.available || (isSound && one.starting === true),
  }));
  const replicas = machines.length + made - goneMade + count;
  const status: SetCounts = {
    replicas,
    available:
      started.filter(({ available }) => available).length + (isSound ? replicas - machines.length : 0),
    upToDate: isCurrent ? replicas : 0,
    observed: true,
  };
  return {
    set: { ...set, machines: started, made: made - goneMade + count, status },
    gone: [...set.machines.filter(({ deleting }) => deleting), ...victims],
    ...{ goneMade, count },
    available: known + (isSound ? made - goneMade : 0),
  };
}
