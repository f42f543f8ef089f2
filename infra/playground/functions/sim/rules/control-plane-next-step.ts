import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { compareText } from "../../../../../shared/rules/conditions/conditions.ts";
import { DELETE_MACHINE } from "../../../../../shared/rules/machines/annotations.ts";
import { waitsForRemediation } from "../../../../../shared/rules/machines/machine-conditions.ts";
import { reservedNames } from "../../../../../shared/rules/machines/reservation.ts";
import { type ControlPlaneMachine, differences } from "./control-plane-propagation.ts";
import { isReady } from "./control-plane-remediation.ts";
import { type AnyControlPlane, isInitialized, type MachineTemplate } from "./control-plane-view.ts";

/** The field of a Cluster that says where control plane Machines may run. */
export const PLACEMENT_FIELDS = ["status.failureDomains"] as const;

/**
 * Returns the failure domain for a new Machine: that with the fewest Machines that are up to date, then with the fewest
 * at all, then the first by name, among those that are meant for control planes. `undefined`: the Cluster has none.
 */
export function domainForNew(
  cluster: Cluster,
  machines: readonly Machine[],
  isUpToDate: (machine: Machine) => boolean,
): string | undefined {
  const current = machines.filter(isUpToDate);
  const [first] = domainsOf(cluster).toSorted(
    (a, b) => countIn(a, current) - countIn(b, current) || countIn(a, machines) - countIn(b, machines),
  );
  return first;
}

/**
 * Returns the Machine to go next of those that may go: in the domain with the most Machines, there the oldest. Before all
 * others goes one in a domain that is not meant for control planes.
 */
export function nextToGo(
  cluster: Cluster,
  machines: readonly Machine[],
  candidates: readonly Machine[],
): Machine | undefined {
  const domains = domainsOf(cluster);
  const crowd = ({ spec }: Machine): number => {
    const { failureDomain = "" } = spec;
    const isStray = domains.length > 0 && !domains.includes(failureDomain);
    return isStray ? Number.POSITIVE_INFINITY : countIn(failureDomain, machines);
  };
  const createdAt = ({ metadata }: Machine) => metadata.creationTimestamp ?? "";
  return candidates.toSorted(
    (a, b) =>
      Number(crowd(b) > crowd(a)) - Number(crowd(a) > crowd(b)) ||
      compareText(createdAt(a), createdAt(b)) ||
      compareText(a.metadata.name, b.metadata.name),
  )[0];
}

/** Returns the domains by name. */
function domainsOf({ status }: Cluster): readonly string[] {
  return (status?.failureDomains ?? [])
    .filter(({ controlPlane }) => controlPlane === true)
    .map(({ name }) => name)
    .toSorted(compareText);
}

function countIn(domain: string, machines: readonly Machine[]): number {
  return machines.filter(({ spec }) => (spec.failureDomain ?? "") === domain).length;
}

/** A control plane with its Machines, from one source: snapshots, or live. */
export interface Situation {
  readonly object: AnyControlPlane;
  readonly template: MachineTemplate;
  readonly cluster: Cluster;
  readonly members: readonly ControlPlaneMachine[];
  readonly now: Date;
}

/** The next change of the number of Machines; one at a time. */
type NextStep =
  | { readonly type: "grow" }
  | { readonly type: "shrink"; readonly machine: Machine }
  /** Health checks have handed a Machine over. */
  | { readonly type: "remediate" }
  /** The reservation holds names that are no longer needed. */
  | { readonly type: "tidy" }
  /** `what` has to change first; absent: all is as wanted. */
  | { readonly type: "rest"; readonly what?: string };

/**
 * Decides what comes next. The first Machine comes alone until the control plane is initialized, then one comes at a time,
 * each when all are Ready. Outdated ones are replaced one by one: another is made, then one goes.
 */
export function nextStep(situation: Situation): NextStep {
  const { object, members } = situation;
  const machines = members.map(({ machine }) => machine);
  const staying = machines.filter((machine) => !isDeleting(machine));
  if (isReservationUsed(object, machines)) return { type: "tidy" };
  if (staying.some(waitsForRemediation)) return { type: "remediate" };
  if (staying.length < machines.length) return { type: "rest", what: "Machine deleted" };

  const outdated = outdatedMachines(situation);
  const broken = outdated.filter((machine) => nodeIsMissingForMs(machine, situation.now) <= 0);
  // It never had a Node: nothing is lost with it, and waiting for it would block what mends it.
  if (broken.length > 0 && (machines.length > 1 || !isInitialized(object))) return shrink(situation, broken);
  return numberStep(situation, outdated);
}

/** Time for what is known of the Node of a Machine to be read again, after a move for instance. */
const NODE_UNKNOWN_MS = 60 * SECOND;

/**
 * Returns the time until a Machine counts as one that never had a Node, ms; 0 or less: it does. One without instance
 * does at once. One with an instance may have had one, of which its status says nothing yet.
 */
function nodeIsMissingForMs({ metadata, spec, status }: Machine, now: Date): number {
  if (status?.nodeRef !== undefined) return Number.POSITIVE_INFINITY;
  if (spec.providerID === undefined) return 0;
  return Date.parse(metadata.creationTimestamp ?? "") + NODE_UNKNOWN_MS - now.getTime();
}

/** Returns the time until the next outdated Machine counts as one that never had a Node, ms; infinite: none will. */
export function nodeIsMissingInMs(situation: Situation): number {
  const waits = outdatedMachines(situation).map((machine) => nodeIsMissingForMs(machine, situation.now));
  return Math.min(...waits.filter((waitMs) => waitMs > 0));
}

/** Returns the step towards the number of Machines that is wanted, of which none is being deleted. */
function numberStep(situation: Situation, outdated: readonly Machine[]): NextStep {
  const { object, members } = situation;
  const machines = members.map(({ machine }) => machine);
  const { replicas } = object.spec;
  const isShort = machines.length < replicas;
  const isSurging = outdated.length > 0 && machines.length === replicas;
  const hasSurplus = machines.length > replicas;
  if ((isShort || isSurging || hasSurplus) && !isSettled(object, machines)) {
    return { type: "rest", what: "Machine.status.conditions[Ready]" };
  }
  if (hasSurplus) return shrink(situation, outdated.length > 0 ? outdated : chosenOr(machines));
  if (isShort || isSurging) return { type: "grow" };
  return reservedNames(object).length > 0 ? { type: "tidy" } : { type: "rest" };
}

/** All Machines whose names are reserved are there: if one went now, another would get its name. */
function isReservationUsed(object: AnyControlPlane, machines: readonly Machine[]): boolean {
  const made = new Set(machines.map(({ metadata }) => metadata.name));
  const reserved = reservedNames(object);
  return reserved.length > 0 && reserved.every((name) => made.has(name));
}

export function outdatedMachines({ object, template, members, now }: Situation): readonly Machine[] {
  return members
    .filter(({ machine }) => !isDeleting(machine))
    .filter((member) => differences(object, template, member, now).length > 0)
    .map(({ machine }) => machine);
}

function shrink({ cluster, members }: Situation, candidates: readonly Machine[]): NextStep {
  const machines = members.map(({ machine }) => machine);
  const machine = nextToGo(cluster, machines, candidates);
  return machine === undefined ? { type: "rest" } : { type: "shrink", machine };
}

/** The field of a Machine by which a person chooses it to go. */
export const CHOICE_FIELDS = [`metadata.annotations[${DELETE_MACHINE}]`] as const;

function chosenOr(machines: readonly Machine[]): readonly Machine[] {
  const chosen = machines.filter(({ metadata }) => Object.hasOwn(metadata.annotations ?? {}, DELETE_MACHINE));
  return chosen.length > 0 ? chosen : machines;
}

function isSettled(object: AnyControlPlane, machines: readonly Machine[]): boolean {
  return machines.length === 0 || (isInitialized(object) && machines.every(isReady));
}
