import type { Machine } from "../../api/machine/machine.ts";
import type { MachineDeployment } from "../../api/machinedeployment.ts";
import type { MachineSet } from "../../api/machineset.ts";
import { SECOND } from "../../function/backoff.ts";
import { isDeleting } from "../../function/guards.ts";
import { compareText, conditionOf } from "../conditions/conditions.ts";
import { counted } from "../conditions/counted.ts";
import { waitsForRemediation } from "../machines/machine-conditions.ts";
import { shownBlocker } from "../machines/scaling-conditions.ts";
import { controllerOf } from "../metadata/owner-references.ts";
import { planOf } from "./plan-input.ts";
import type { Plan } from "./plan-types.ts";

/** A rollout that stands still for so long is announced, and a problem. */
const STANDS_STILL_MS = 600 * SECOND;

/** Everything that decides whether a rollout stands still. */
export interface RolloutFacts {
  readonly deployment: MachineDeployment;
  /** Those that the deployment controls. */
  readonly sets: readonly MachineSet[];
  /** Machines of these sets, as far as they are known: one of them is named. */
  readonly machines: readonly Machine[];
  /** Why no set can be made. Absent: what the status of the deployment shows. */
  readonly blockers?: readonly string[];
  readonly now: Date;
}

export interface Standstill {
  /** The reason in a sentence without its end: `1 of 2 Machines of md-9xw5d is not available (m1: …)`. */
  readonly cause: string;
  /** The next step of a person. */
  readonly next: string;
  /** The last progress, RFC 3339; absent where nothing says when it was. */
  readonly since?: string | undefined;
  /** A person wants it so. */
  readonly isHeld: boolean;
}

type Reason = Omit<Standstill, "since">;

function unwanted(cause: string, next: string): Reason {
  return { cause, next, isHeld: false };
}

/**
 * Returns why a rollout that is not done stands still; `undefined`: it is done, or its next step can be taken now. A
 * rollout that waits for a Machine to start stands still, too, until that is available: `since` says for how long.
 */
export function standstill(facts: RolloutFacts): Standstill | undefined {
  const { deployment, sets } = facts;
  if (isDeleting(deployment)) return undefined;
  const decided = planOf(facts);
  const reason = blocked(facts, decided) ?? pausedReason(facts, decided) ?? waiting(facts, decided);
  return reason === undefined ? undefined : { ...reason, since: lastProgress(sets) };
}

/** A set is due that cannot be made, or the wish cannot be read. */
function blocked({ deployment, blockers }: RolloutFacts, { changes }: Plan): Reason | undefined {
  const why = blockers === undefined ? shownBlocker(deployment.status?.conditions) : blockers.join("; ");
  const isDue = changes.some((change) => change.do === "create" || change.do === "resize");
  if (!why || !isDue) return undefined;
  return unwanted(`no MachineSet can be made: ${why}`, "create or correct what is named");
}

function pausedReason({ deployment, sets }: RolloutFacts, { current, changes }: Plan): Reason | undefined {
  if (deployment.spec.paused !== true || changes.length > 0) return undefined;
  const inUse = sets.filter(({ spec }) => (spec.replicas ?? 1) > 0);
  if (current !== undefined && inUse.every(({ metadata }) => metadata.name === current)) return undefined;
  return { cause: "spec.paused is true", next: `capstan rollout resume ${pathOf(deployment)}`, isHeld: true };
}

function waiting(facts: RolloutFacts, decided: Plan): Reason | undefined {
  const reasons = { availability: notAvailable, deletion: going, place: forPerson };
  return decided.waitsFor && reasons[decided.waitsFor](facts, decided);
}

function notAvailable({ deployment, sets, machines }: RolloutFacts, { current, limits }: Plan): Reason {
  const set = sets.find(({ metadata }) => metadata.name === current);
  const bounds = `at least ${limits.atLeast} must be available, and at most ${limits.atMost} may be there`;
  const why = set && makesNone(set);
  if (why !== undefined) {
    const cause = `MachineSet ${current} makes no Machine: ${why}; ${bounds}`;
    return unwanted(cause, "remove what blocks it; the rollout resumes by itself");
  }
  const wanted = set?.spec.replicas ?? 0;
  const missing = wanted - (set?.status?.availableReplicas ?? 0);
  if (set === undefined || missing <= 0)
    return unwanted(
      `too few Machines are available: ${bounds}`,
      "repair the Machines that are not available",
    );
  const one = unavailableOf(set, machines);
  const named = one === undefined ? "" : ` (${one.metadata.name}: ${whyOf(one)})`;
  return unwanted(
    `${missing} of ${counted(wanted, "Machine")} of MachineSet ${current} ${missing === 1 ? "is" : "are"} not available${named}; ${bounds}`,
    `repair what is named, or write the former template: capstan rollout plan ${pathOf(deployment)} -f FILE shows that first`,
  );
}

/** Returns why a set that lacks Machines makes none, as its status says it. */
export function makesNone({ spec, status }: MachineSet): string | undefined {
  const lacksMachines = (status?.replicas ?? 0) < (spec.replicas ?? 1);
  return lacksMachines ? shownBlocker(status?.conditions) : undefined;
}

function unavailableOf({ metadata }: MachineSet, machines: readonly Machine[]): Machine | undefined {
  const [first] = machines
    .filter((machine) => controllerOf(machine)?.uid === metadata.uid && !isAvailable(machine))
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  return first;
}

/** Whether a Machine is available, as its set counts it. */
export function isAvailable({ status }: Machine): boolean {
  return conditionOf(status?.conditions, "Available")?.status === "True";
}

/** A health check has handed it over, and its set waits to replace it: that says more than why it is not ready. */
function whyOf(machine: Machine): string {
  const conditions = machine.status?.conditions;
  const remediation = waitsForRemediation(machine) ? conditionOf(conditions, "OwnerRemediated") : undefined;
  const message = remediation?.message || conditionOf(conditions, "Ready")?.message || "not ready yet";
  return message.replace(/\s+/g, " ").replace(/^\* /, "");
}

function going({ machines }: RolloutFacts, { limits }: Plan): Reason {
  const [first] = machines
    .filter(isDeleting)
    .toSorted((a, b) => compareText(a.metadata.deletionTimestamp ?? "", b.metadata.deletionTimestamp ?? ""));
  const next =
    first === undefined
      ? "capstan explain machineset says what keeps them"
      : `capstan explain machine ${pathOf(first)} says what keeps it`;
  const message = conditionOf(first?.status?.conditions, "Deleting")?.message.replace(/\s+/g, " ");
  const named = first === undefined ? "" : ` (${first.metadata.name}${message ? `: ${message}` : ""})`;
  const cause = `Machines that are being deleted are not gone yet${named}; at most ${limits.atMost} may be there`;
  return unwanted(cause, next);
}

function forPerson({ deployment, sets }: RolloutFacts, { current }: Plan): Reason {
  const old = sets.filter(({ metadata }) => metadata.name !== current);
  const count = old.reduce((sum, { status }) => sum + (status?.replicas ?? 0), 0);
  return {
    cause: `strategy OnDelete: ${counted(count, "Machine")} of ${old.map(({ metadata }) => metadata.name).join(", ")} ${count === 1 ? "runs" : "run"} until deleted by a person`,
    next: `delete a Machine when its workload may move: kubectl --namespace ${deployment.metadata.namespace} delete machine NAME`,
    isHeld: true,
  };
}

function pathOf({ metadata }: Machine | MachineDeployment): string {
  return `${metadata.namespace}/${metadata.name}`;
}

const PROGRESS = ["ScalingUp", "ScalingDown", "MachinesReady", "MachinesUpToDate"];

/** Each step of a rollout changes a condition of a set. */
function lastProgress(sets: readonly MachineSet[]): string | undefined {
  const times = sets.flatMap(({ metadata, status }) => [
    metadata.creationTimestamp ?? "",
    ...(status?.conditions ?? []).flatMap(({ type, lastTransitionTime }) =>
      PROGRESS.includes(type) ? [lastTransitionTime] : [],
    ),
  ]);
  return times.toSorted(compareText).at(-1) || undefined;
}

/** Whether a rollout stands still for so long that a person should know; one that a person holds does not. */
export function isOverdue(still: Standstill, now: Date): boolean {
  return !still.isHeld && overdueInMs(still, now) === 0;
}

/** Whether a rollout needs a person: one holds it, or it has stood still for long. */
export function isStuck(still: Standstill, now: Date): boolean {
  return still.isHeld || isOverdue(still, now);
}

/** Returns when that will be, 0: it is so now; `undefined`: nothing says when the last progress was. */
export function overdueInMs({ since }: Standstill, now: Date): number | undefined {
  if (since === undefined) return undefined;
  return Math.max(0, Date.parse(since) + STANDS_STILL_MS - now.getTime());
}
