import { titleOf } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { deletionOrder } from "../../../shared/rules/machines/deletion-order.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { planOf, planSets, planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import type { Limits, PlanSpec, WaitsFor } from "../../../shared/rules/rollout/plan-types.ts";
import { deploymentProblem } from "../../../shared/rules/rollout/problems.ts";
import {
  type Rehearsal,
  type RehearsedMachine,
  type RehearsedSet,
  type Rehearsing,
  rehearse,
  type Step,
} from "../../../shared/rules/rollout/rehearse.ts";
import { setNameFor } from "../../../shared/rules/rollout/set-name.ts";
import {
  isAvailable,
  isOverdue,
  makesNone,
  type RolloutFacts,
  type Standstill,
  standstill,
} from "../../../shared/rules/rollout/standstill.ts";

/** Reasons that keep a set of the wished template from its work. */
export interface Blockers {
  /** Why no such set can be made: templates that do not exist, or a wish that cannot be read. */
  readonly missing: readonly string[];
  /** Why it would make no Machine: preflight checks. */
  readonly checks: readonly string[];
}

const NOTHING: Blockers = { missing: [], checks: [] };

/** Returns what the status of the current set says, where nothing is read live. */
function blockersShown(facts: RolloutFacts): Blockers {
  const { current } = planOf(facts);
  const checks = facts.sets.flatMap((set) => (set.metadata.name === current ? (makesNone(set) ?? []) : []));
  return { missing: [], checks };
}

/** A rollout as it is, and as it would go: what `capstan rollout plan -o json` prints. */
export interface RolloutReport {
  /** `MachineDeployment default/md` */
  readonly object: string;
  readonly replicas: number;
  readonly strategy: PlanSpec["strategy"];
  readonly limits: Limits;
  /** The sets now, the oldest first. */
  readonly sets: readonly ReportedSet[];
  /** Why it stands still now. */
  readonly standsStill?: ReportedStandstill | undefined;
  /** RFC 3339: `rollout.after` is still to come, and the steps are those of that time. */
  readonly startsAt?: string | undefined;
  /** The name of the set that is made, where one is. */
  readonly newSet: string;
  readonly steps: readonly Step[];
  /** `done`, or what it waits for behind the last step; `cut`: there are more steps. */
  readonly end: "done" | "cut" | WaitsFor | "paused" | "blocked";
  readonly blockers: Blockers;
  /** Where it would stop if new Machines never became available; absent where that makes no difference. */
  readonly withBrokenTemplate?: Stop | undefined;
}

export interface ReportedStandstill extends Standstill {
  /** It has lasted for so long that a person should look. */
  readonly isOverdue: boolean;
}

export interface ReportedSet {
  readonly name: string;
  readonly revision?: string | undefined;
  readonly isCurrent: boolean;
  readonly size: number;
  readonly machines: number;
  readonly available: number;
}

interface Stop {
  readonly afterSteps: number;
  readonly machines: number;
  readonly available: number;
}

/**
 * Returns the rollout of a deployment, which may be changed from the one that the API server has. Victims are those that
 * the set would choose now. Nothing is made or resized while a set is due whose templates are missing.
 */
export function rolloutReport(
  facts: RolloutFacts,
  blockers = blockersShown(facts),
  newMachines: "available" | "never" = "available",
): RolloutReport {
  const { deployment, sets, now } = facts;
  const { replicas, strategy } = planSpec(deployment);
  const { current, limits } = planOf(facts);
  const stands = standstill(facts);
  return {
    object: titleOf(deployment.kind, deployment.metadata),
    ...{ replicas, strategy, limits },
    sets: sets
      .map((set) => reported(set, current))
      .toSorted((a, b) => Number(a.isCurrent) - Number(b.isCurrent)),
    standsStill: stands && { ...stands, isOverdue: isOverdue(stands, now) },
    ...stepsOf(facts, blockers, newMachines),
  };
}

type ReportedSteps = Pick<
  RolloutReport,
  "startsAt" | "newSet" | "steps" | "end" | "blockers" | "withBrokenTemplate"
>;

function stepsOf(
  facts: RolloutFacts,
  { missing, checks }: Blockers,
  newMachines: "available" | "never",
): ReportedSteps {
  const { at, sound } = soundRehearsal(facts, checks.length > 0 ? "none" : newMachines);
  const newSet = newSetAt(facts, at);
  const problem = deploymentProblem(facts.deployment);
  const isDue = sound.steps.some(({ changes }) => changes.some((change) => change.do === "create"));
  const reasons = problem === undefined ? missing : [problem];
  if (problem !== undefined || (isDue && missing.length > 0))
    return { newSet, steps: [], end: "blocked", blockers: { missing: reasons, checks } };
  const broken = rehearsalOf(facts, at, "never");
  return {
    newSet,
    startsAt: at > facts.now.getTime() ? new Date(at).toISOString() : undefined,
    steps: sound.steps,
    end: endOf(sound),
    blockers: sound.steps.length > 0 ? { missing, checks } : NOTHING,
    withBrokenTemplate: broken.steps.length < sound.steps.length ? stopOf(facts, broken) : undefined,
  };
}

/** Returns the steps of now or, where nothing is to do before `rollout.after`, those of that time. */
function soundRehearsal(facts: RolloutFacts, newMachines: Rehearsing["newMachines"]) {
  const now = facts.now.getTime();
  const present = rehearsalOf(facts, now, newMachines);
  const { next } = planOf(facts);
  if (next === undefined || present.steps.length > 0) return { at: now, sound: present };
  return { at: next, sound: rehearsalOf(facts, next, newMachines) };
}

function rehearsalOf(facts: RolloutFacts, at: number, newMachines: Rehearsing["newMachines"]): Rehearsal {
  const { deployment, sets, machines, now } = facts;
  return rehearse({
    spec: planSpec(deployment),
    sets: rehearsedSets(sets, machines, now),
    now: at,
    newSet: newSetAt(facts, at),
    newMachines,
  });
}

/** A restart makes another set of the same template. */
function newSetAt({ deployment }: RolloutFacts, at: number): string {
  const { after } = planSpec(deployment);
  return setNameFor(deployment, after !== undefined && after <= at ? after : undefined).name;
}

/** Sets with their Machines in the order in which each of them would delete them. */
function rehearsedSets(
  sets: readonly MachineSet[],
  machines: readonly Machine[],
  now: Date,
): readonly RehearsedSet[] {
  const bySet = Map.groupBy(machines, (machine) => controllerOf(machine)?.uid);
  return planSets(sets).map((set, at) => {
    const { metadata, spec } = sets[at] as MachineSet;
    const own = deletionOrder(bySet.get(metadata.uid) ?? [], spec.deletion?.order, now);
    return { ...set, machines: own.map(rehearsedMachine) };
  });
}

function rehearsedMachine(machine: Machine): RehearsedMachine {
  const isBroken = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "False";
  return {
    name: machine.metadata.name,
    available: isAvailable(machine),
    starting: !isBroken,
    deleting: isDeleting(machine),
  };
}

function reported({ metadata, spec, status }: MachineSet, current: string | undefined): ReportedSet {
  return {
    name: metadata.name,
    revision: metadata.annotations?.[REVISION],
    isCurrent: metadata.name === current,
    size: spec.replicas ?? 1,
    machines: status?.replicas ?? 0,
    available: status?.availableReplicas ?? 0,
  };
}

function endOf({ end, isCut }: Rehearsal): RolloutReport["end"] {
  if (isCut) return "cut";
  return end.waitsFor ?? (end.done ? "done" : "paused");
}

function stopOf({ machines }: RolloutFacts, { steps, end, isCut }: Rehearsal): Stop | undefined {
  if (isCut || end.done) return undefined;
  const last = steps.at(-1);
  return {
    afterSteps: steps.length,
    machines: last?.total ?? machines.length,
    available: last?.available ?? machines.filter(isAvailable).length,
  };
}
