import type { Machine } from "../../../shared/api/machine/machine.ts";
import { type Aggregation, aggregate } from "../../../shared/rules/conditions/aggregate.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
} from "../../../shared/rules/conditions/conditions.ts";

/** The fields of a Machine that `waitsForRemediation` reads. */
export const REMEDIATION_FIELDS = [
  "status.conditions[HealthCheckSucceeded].status",
  "status.conditions[OwnerRemediated]",
] as const;
/** The fields of a Machine that `machineConditions` reads. */
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

const MAX_NAMES = 3;

/** Summary of the Machines of a pool; `machines` is empty for a pool that has none. Source: MP-7.1 */
export function machineConditions(machines: readonly Machine[]): readonly DesiredCondition[] {
  return [
    together("MachinesReady", READY, machines),
    together("MachinesUpToDate", UP_TO_DATE, machines),
    remediating(machines),
  ];
}

/** Whether a health check has handed a Machine to its owner. Source: MP-10.8 */
export function waitsForRemediation(machine: Machine): boolean {
  return isFalse(machine, "HealthCheckSucceeded") && isFalse(machine, "OwnerRemediated");
}

function together(type: string, rule: Aggregation, machines: readonly Machine[]): DesiredCondition {
  if (machines.length === 0) return condition(type, "True", "NoReplicas");
  const { status, reason, message } = aggregate(rule, reportersOf(rule, machines));
  return condition(type, status, reason, message);
}

function remediating(machines: readonly Machine[]): DesiredCondition {
  const waiting = machines.filter(waitsForRemediation);
  if (waiting.length === 0) return condition("Remediating", "False", "NotRemediating", unhealthy(machines));
  const { message } = aggregate(OWNER_REMEDIATED, reportersOf(OWNER_REMEDIATED, waiting));
  return condition("Remediating", "True", "Remediating", message);
}

function reportersOf({ source }: Aggregation, machines: readonly Machine[]) {
  return machines.map(({ metadata, status }) => ({
    kind: "Machine",
    name: metadata.name,
    condition: conditionOf(status?.conditions, source),
  }));
}

function unhealthy(machines: readonly Machine[]): string {
  const names = machines
    .filter((machine) => isFalse(machine, "HealthCheckSucceeded"))
    .map(({ metadata }) => metadata.name)
    .toSorted(compareText);
  if (names.length === 0) return "";
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? `, ... (${names.length - MAX_NAMES} more)` : "";
  const [who, are] = names.length === 1 ? ["Machine", "is"] : ["Machines", "are"];
  return `${who} ${shown}${more} ${are} not healthy (not to be remediated)`;
}

function isFalse({ status }: Machine, type: string): boolean {
  return conditionOf(status?.conditions, type)?.status === "False";
}
