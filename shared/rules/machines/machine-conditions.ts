import type { Machine } from "../../api/machine/machine.ts";
import { SECOND } from "../../function/backoff.ts";
import { type Aggregation, aggregate } from "../conditions/aggregate.ts";
import { compareText, condition, conditionOf, type DesiredCondition } from "../conditions/conditions.ts";
import { listNames } from "../conditions/list-names.ts";
import { isControlPlaneMachine } from "./control-plane-machine.ts";

/** The fields of a Machine that `waitsForRemediation` reads. */
export const REMEDIATION_FIELDS = [
  "status.conditions[HealthCheckSucceeded].status",
  "status.conditions[OwnerRemediated]",
] as const;
/** The fields of a Machine whose conditions and counters its owner shows. */
export const MACHINE_CONDITION_FIELDS = [
  "status.conditions[Ready]",
  "status.conditions[Available].status",
  "status.conditions[UpToDate]",
  ...REMEDIATION_FIELDS,
] as const;

const READY: Aggregation = {
  source: "Ready",
  polarity: "positive",
  reasons: { issue: "NotReady", unknown: "ReadyUnknown", good: "Ready" },
};
const UP_TO_DATE: Aggregation = {
  source: "UpToDate",
  polarity: "positive",
  reasons: { issue: "NotUpToDate", unknown: "UpToDateUnknown", good: "UpToDate" },
};
const OWNER_REMEDIATED: Aggregation = {
  source: "OwnerRemediated",
  polarity: "positive",
  reasons: { issue: "Remediating", unknown: "Remediating", good: "NotRemediating" },
};

/** The owner of a new Machine has this long to say whether it is up to date. */
const UNREPORTED_MS = 10 * SECOND;
const MAX_NAMES = 3;

/** Whether `machine-status` has written conditions of a Machine: those of others come behind them in the list. */
export function hasReady({ status }: Machine): boolean {
  return conditionOf(status?.conditions, "Ready") !== undefined;
}

/** Returns the summary of `Ready` of some Machines as a condition of their owner. */
export function machinesReady(type: string, machines: readonly Machine[]): DesiredCondition {
  return together(type, READY, machines);
}

/** Returns the summary of `UpToDate` of some Machines as a condition of their owner. */
export function machinesUpToDate(type: string, machines: readonly Machine[]): DesiredCondition {
  return together(type, UP_TO_DATE, machines);
}

/** Machines without those younger than 10 s that do not report `UpToDate` yet. */
export function withUpToDateReported(machines: readonly Machine[], now: Date): readonly Machine[] {
  return machines.filter((machine) => unreportedForMs(machine, now) === 0);
}

/** Returns when the first of them is old enough for `UpToDate` to be missed; `undefined` when none is young. */
export function upToDateExpiresInMs(machines: readonly Machine[], now: Date): number | undefined {
  const left = machines.map((machine) => unreportedForMs(machine, now)).filter((ms) => ms > 0);
  return left.length === 0 ? undefined : left.reduce((a, b) => Math.min(a, b));
}

function unreportedForMs({ metadata, status }: Machine, now: Date): number {
  if (conditionOf(status?.conditions, UP_TO_DATE.source) !== undefined) return 0;
  const createdAt = Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(createdAt) ? 0 : Math.max(0, createdAt + UNREPORTED_MS - now.getTime());
}

/** Whether a health check has handed a Machine to its owner. */
export function waitsForRemediation(machine: Machine): boolean {
  return isFalse(machine, "HealthCheckSucceeded") && isFalse(machine, "OwnerRemediated");
}

/** The condition `Remediating` of the owner of these Machines, in the words of `by`. */
export function remediating(machines: readonly Machine[], by?: string): DesiredCondition {
  const waiting = machines.filter(waitsForRemediation);
  if (waiting.length === 0)
    return condition("Remediating", "False", "NotRemediating", unhealthy(machines, by));
  const { message } = aggregate(OWNER_REMEDIATED, reportersOf(OWNER_REMEDIATED, waiting));
  return condition("Remediating", "True", "Remediating", message);
}

function together(type: string, rule: Aggregation, machines: readonly Machine[]): DesiredCondition {
  if (machines.length === 0) return condition(type, "True", "NoReplicas");
  const { status, reason, message } = aggregate(rule, reportersOf(rule, machines));
  return condition(type, status, reason, message);
}

function reportersOf({ source }: Aggregation, machines: readonly Machine[]) {
  return machines.map((machine) => ({
    kind: "Machine",
    name: machine.metadata.name,
    controlPlane: isControlPlaneMachine(machine),
    condition: conditionOf(machine.status?.conditions, source),
  }));
}

function unhealthy(machines: readonly Machine[], by: string | undefined): string {
  const names = machines
    .filter((machine) => isFalse(machine, "HealthCheckSucceeded"))
    .map(({ metadata }) => metadata.name)
    .toSorted(compareText);
  if (names.length === 0) return "";
  const [who, are] = names.length === 1 ? ["Machine", "is"] : ["Machines", "are"];
  return `${who} ${listNames(names, MAX_NAMES)} ${are} not healthy (not to be remediated${by === undefined ? "" : ` by ${by}`})`;
}

function isFalse({ status }: Machine, type: string): boolean {
  return conditionOf(status?.conditions, type)?.status === "False";
}
