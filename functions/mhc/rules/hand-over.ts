import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { compareText, condition, conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { deprecatedCondition } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { ConditionChanges } from "../../../shared/rules/machines/condition-patch.ts";
import { MACHINE_DELETING } from "../../../shared/rules/machines/remediation.ts";
import { failedAt } from "./health.ts";
import { budgetOf, hasNoLimit, limitOf } from "./limit.ts";
import {
  calmAtMs,
  lastChangeMs,
  leftOverAtMs,
  type Occupant,
  requestLandsUntilMs,
  usesPlace,
} from "./places.ts";

const OWNER = "OwnerRemediated";
const EXTERNAL = "ExternallyRemediated";
/** The annotation on a Machine that says by its presence: it is not handed over. */
export const HOLD = "capstan.dev/hold-remediation";
/** The field of a Machine that keeps it from being handed over. */
export const HELD_FIELDS = [`metadata.annotations[${HOLD}]`] as const;
const MAX_NAMES = 3;

/** All targets of a health check, from one live list. */
export interface HandOverFacts {
  readonly check: MachineHealthCheck;
  readonly occupants: readonly Occupant[];
  /** A policy binds the health check, so that it reserves as one with a limit does. */
  readonly isBound?: boolean;
  readonly now: Date;
}

/** Why it waits. `limit`: too many or too few targets are unhealthy. `places`: healthy ones may still be remediated. */
interface Waits {
  readonly because: "limit" | "places" | "calm";
  readonly text: string;
}

/** Targets that are handed over now, and why others wait. */
export interface HandOver {
  readonly chosen: readonly Machine[];
  /** Recovered Machines that hold a place which another one waits for: their owners have had their time. */
  readonly leftOvers: readonly Machine[];
  /** Why candidates wait; `undefined`: none does. */
  readonly waits?: Waits | undefined;
  /** When time alone changes this, in ms since 1970. */
  readonly againAtMs?: number | undefined;
}

/**
 * Returns the targets that a health check hands over: all candidates or none, as long as those that use a place are
 * within the limit. With a limit each of them waits for calm. A lower bound looks at targets that are not healthy, so
 * that being careful never enables anything.
 */
export function handOver(facts: HandOverFacts): HandOver {
  const { check, occupants, now } = facts;
  const limit = limitOf(check, occupants.length);
  const isUnlimited = reservesNoPlace(facts);
  const candidates = candidatesOf(facts).filter((machine) => !isHeld(machine));
  if (candidates.length === 0) return NOTHING;
  const budget = budgetOf(
    check,
    occupants.map(({ verdict }) => verdict),
  );
  if ("problem" in limit || !budget.isAllowed) {
    return { ...NOTHING, waits: { because: "limit", text: budget.message } };
  }
  if (isUnlimited) return { ...NOTHING, chosen: candidates };
  const holders = occupants.filter((occupant) => usesPlace(check, occupant, now));
  if (holders.length > limit.upper) return withoutPlace(facts, holders, limit.upper);
  return whenCalm(
    occupants.map(({ machine }) => machine),
    candidates,
    now,
  );
}

const NOTHING: HandOver = { chosen: [], leftOvers: [] };

/** The targets whose failed check is in the list and which only an annotation keeps from being handed over. */
export function heldMachines(facts: HandOverFacts): readonly Machine[] {
  return candidatesOf(facts).filter((machine) => isHeld(machine) && failedAt(machine) !== undefined);
}

function candidatesOf(facts: HandOverFacts): readonly Machine[] {
  const { check, occupants } = facts;
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const isUnlimited = reservesNoPlace(facts);
  return occupants
    .filter((occupant) => (isExternal ? mayGoOut(occupant) : mayGoToOwner(occupant, isUnlimited)))
    .map(({ machine }) => machine);
}

function reservesNoPlace({ check, occupants, isBound }: HandOverFacts): boolean {
  return isBound !== true && hasNoLimit(check, occupants.length);
}

/**
 * Whether it is handed to its owner, once. The failed check is the reservation, so with a limit it must be in the list
 * already.
 */
function mayGoToOwner({ machine, verdict }: Occupant, isUnlimited: boolean): boolean {
  if (verdict.is !== "unhealthy" || isDeleting(machine)) return false;
  const turn = ownerTurn(machine);
  return (isUnlimited || failedAt(machine) !== undefined) && (turn.present || turn.deprecated);
}

/** Whether it is handed to an external controller, once it is marked for one. */
function mayGoOut({ machine, verdict, hasRequest }: Occupant): boolean {
  if (verdict.is !== "unhealthy" || hasRequest) return false;
  return failedAt(machine) !== undefined && conditionOf(machine.status?.conditions, EXTERNAL) !== undefined;
}

/** Whether a person or a program keeps a Machine from being handed over. By presence. */
export function isHeld({ metadata }: Machine): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, HOLD);
}

/** Healthy Machines that still use a place stand in the way: their names, and when one loses it. */
function withoutPlace({ check, now }: HandOverFacts, holders: readonly Occupant[], upper: number): HandOver {
  const healthy = holders.filter(({ verdict }) => verdict.is === "healthy").map(({ machine }) => machine);
  const isDue = (machine: Machine) => (leftOverAtMs(machine) ?? Number.POSITIVE_INFINITY) <= now.getTime();
  const times = healthy
    .flatMap((machine) => [leftOverAtMs(machine), requestLandsUntilMs(check, machine)])
    .filter((atMs) => atMs !== undefined && atMs > now.getTime());
  return {
    chosen: [],
    leftOvers: healthy.filter(isDue),
    waits: {
      because: "places",
      text: `Remediation waits for Machines that seem healthy and may still be remediated: ${namesOf(healthy)} (places: ${upper}, used: ${holders.length})`,
    },
    againAtMs: earliest(times.filter((atMs) => atMs !== undefined)),
  };
}

function whenCalm(targets: readonly Machine[], candidates: readonly Machine[], now: Date): HandOver {
  const changedAtMs = lastChangeMs(targets);
  const timed = candidates.map((machine) => ({ machine, atMs: calmAtMs(changedAtMs, machine) }));
  const waiting = timed.filter(({ atMs }) => atMs > now.getTime());
  const againAtMs = earliest(waiting.map(({ atMs }) => atMs));
  return {
    chosen: timed.filter(({ atMs }) => atMs <= now.getTime()).map(({ machine }) => machine),
    leftOvers: [],
    ...(againAtMs === undefined
      ? {}
      : {
          waits: { because: "calm", text: "Remediation waits until no health check has changed for 5 s" },
          againAtMs,
        }),
  };
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

function namesOf(machines: readonly Machine[]): string {
  return listNames(machines.map(({ metadata }) => metadata.name).toSorted(compareText), MAX_NAMES);
}

/** Returns in which family of conditions it is the turn of the health check, and not of the owner. */
function ownerTurn({ status }: Machine): { readonly present: boolean; readonly deprecated: boolean } {
  const present = conditionOf(status?.conditions, OWNER);
  const older = conditionOf(status?.deprecated?.v1beta1?.conditions, OWNER);
  const isFree = (found: { readonly status: string } | undefined) =>
    found === undefined || found.status === "True";
  // The owner itself sets the older one True when it marks a Machine: to touch it would only delay the deletion.
  const isOwnersMark = older?.status === "True" && present?.reason === MACHINE_DELETING.reason;
  return { present: isFree(present), deprecated: isFree(older) && !isOwnersMark };
}

/** The conditions by which a Machine is handed to its owner, in the families in which that may be said. */
export function handOverChanges(machine: Machine): ConditionChanges {
  const turn = ownerTurn(machine);
  return {
    present: turn.present
      ? [condition(OWNER, "False", "WaitingForRemediation", "Waiting for remediation")]
      : [],
    deprecated: turn.deprecated
      ? [deprecatedCondition(OWNER, "False", { severity: "Warning", reason: "WaitingForRemediation" })]
      : [],
  };
}
