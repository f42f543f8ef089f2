import type { Machine } from "../../api/machine/machine.ts";
import { SECOND } from "../../function/backoff.ts";
import { compareText, conditionOf } from "../conditions/conditions.ts";
import { DELETE_MACHINE, IN_PLACE_UPDATE } from "./annotations.ts";
import { waitsForRemediation } from "./machine-conditions.ts";

/** The fields of a Machine that `deletionOrder` reads. */
export const DELETION_ORDER_FIELDS = [
  `metadata.annotations[${DELETE_MACHINE}]`,
  `metadata.annotations[${IN_PLACE_UPDATE}]`,
  "status.nodeRef",
  "status.conditions[NodeHealthy].status",
] as const;

/** Which Machines go first among those that nothing else decides about. Default Random. */
export type Order = "Random" | "Newest" | "Oldest";

const PRIORITY = {
  deleting: 100,
  remediated: 95,
  chosen: 80,
  updating: 75,
  unhealthy: 50,
  random: 20,
} as const;
const MOST = 50;
/** The scale of ages: far beyond it, the age of a Machine hardly matters. */
const TEN_DAYS_MS = 10 * 24 * 60 * 60 * SECOND;

/**
 * Returns Machines in the order in which they go when there are too many: those that are going already, then those that
 * a health check has handed over, those that a person has chosen, those that are being updated in place, unhealthy
 * ones, then by `order`. Total: by name among equals.
 * Differs: upstream does not put those to be remediated in front; scaling down and remediating are two functions here,
 * and both must choose the same Machines.
 */
export function deletionOrder(
  machines: readonly Machine[],
  order: Order | undefined,
  now: Date,
): readonly Machine[] {
  return machines
    .map((machine) => ({ machine, priority: priorityOf(machine, order, now) }))
    .toSorted(
      (a, b) => b.priority - a.priority || compareText(a.machine.metadata.name, b.machine.metadata.name),
    )
    .map(({ machine }) => machine);
}

function priorityOf(machine: Machine, order: Order | undefined, now: Date): number {
  const { annotations = {}, deletionTimestamp } = machine.metadata;
  if (deletionTimestamp !== undefined) return PRIORITY.deleting;
  if (waitsForRemediation(machine)) return PRIORITY.remediated;
  if (Object.hasOwn(annotations, DELETE_MACHINE)) return PRIORITY.chosen;
  if (Object.hasOwn(annotations, IN_PLACE_UPDATE)) return PRIORITY.updating;
  if (isUnhealthy(machine)) return PRIORITY.unhealthy;
  if (order !== "Newest" && order !== "Oldest") return PRIORITY.random;
  const byAge = MOST * (1 - Math.exp(-ageMs(machine, now) / TEN_DAYS_MS));
  return order === "Oldest" ? byAge : MOST - byAge;
}

function isUnhealthy({ status }: Machine): boolean {
  const isFalse = (type: string) => conditionOf(status?.conditions, type)?.status === "False";
  return status?.nodeRef === undefined || isFalse("NodeHealthy") || isFalse("HealthCheckSucceeded");
}

function ageMs({ metadata }: Machine, now: Date): number {
  const createdAt = Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(createdAt) ? 0 : Math.max(0, now.getTime() - createdAt);
}
