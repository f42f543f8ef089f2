import type { Condition } from "../../api/conditions.ts";
import { refTo } from "../../api/kinds.ts";
import { Machine } from "../../api/machine/machine.ts";
import type { PatchOperation } from "../../api/patch.ts";
import type { GuardedPatch } from "../../function/define-function.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
  setConditions,
  timestamp,
} from "../conditions/conditions.ts";
import { waitsForRemediation } from "./machine-conditions.ts";

const REMEDIATE_MACHINE = "cluster.x-k8s.io/remediate-machine";
/** The field of a Machine by which a person asks for its remediation. */
export const URGENCY_FIELDS = [`metadata.annotations[${REMEDIATE_MACHINE}]`] as const;
/** The fields of a Machine that its owner writes when it remediates it. */
export const MARK_FIELDS = [
  "status.conditions[OwnerRemediated]",
  "status.deprecated.v1beta1.conditions[OwnerRemediated]",
] as const;

/** The condition of a Machine before it is deleted: a crash between the two leaves it countable. */
export const MACHINE_DELETING = condition(
  "OwnerRemediated",
  "False",
  "MachineDeleting",
  "Machine is deleting",
);

/** Says why a Machine that a health check has handed over is not replaced yet. */
export function deferred(message: string): DesiredCondition {
  return condition("OwnerRemediated", "False", "RemediationDeferred", message);
}

/** Whether there may be something to do; snapshots are enough to ask. */
export function isHandedOver(machine: Machine): boolean {
  return waitsForRemediation(machine) || hasRecovered(machine);
}

/** Whether its owner has marked a Machine for deletion. */
export function isMarked(machine: Machine): boolean {
  const { status, reason } = ownerRemediated(machine) ?? {};
  return status === "False" && reason === MACHINE_DELETING.reason;
}

/** Whether a Machine that was handed over is healthy again. */
export function hasRecovered(machine: Machine): boolean {
  const healthy = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "True";
  return healthy && ownerRemediated(machine)?.status === "False";
}

function ownerRemediated({ status }: Machine): Condition | undefined {
  return conditionOf(status?.conditions, "OwnerRemediated");
}

/** Whether a person has asked for its remediation. By presence: the value means nothing. */
export function isAskedFor({ metadata }: Machine): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, REMEDIATE_MACHINE);
}

/** Puts those that a person has asked for first, then the youngest, then by name. */
export function byUrgency(a: Machine, b: Machine): number {
  const asked = (machine: Machine) => Number(isAskedFor(machine));
  const created = ({ metadata }: Machine) => metadata.creationTimestamp ?? "";
  return (
    asked(b) - asked(a) ||
    compareText(created(b), created(a)) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

const CONDITIONS = "/status/conditions";
const DEPRECATED_CONDITIONS = "/status/deprecated/v1beta1/conditions";

/**
 * Says something about the remediation of a Machine; nothing when it says so already. Several writers take turns with
 * this condition, so it is patched, never applied. The older copy follows a mark.
 */
export function markPatch(machine: Machine, desired: DesiredCondition, now: Date): readonly GuardedPatch[] {
  const { status = {}, metadata } = machine;
  const index = indexOf(status.conditions);
  const stored = status.conditions?.[index];
  if (stored === undefined || (stored.reason === desired.reason && stored.message === desired.message)) {
    return [];
  }
  const [value] = setConditions([stored], [desired], now, metadata.generation);
  const older = status.deprecated?.v1beta1?.conditions;
  const olderIndex = indexOf(older);
  const remediated = { type: "OwnerRemediated", status: "True", lastTransitionTime: timestamp(now) };
  const follows = desired === MACHINE_DELETING && olderIndex >= 0 && older?.[olderIndex]?.status !== "True";
  return patchOf(machine, [
    { op: "replace", path: `${CONDITIONS}/${index}`, value },
    ...(follows
      ? [{ op: "replace", path: `${DEPRECATED_CONDITIONS}/${olderIndex}`, value: remediated } as const]
      : []),
  ]);
}

/** Takes the hand-over of a Machine back that has recovered. */
export function takeBackPatch(machine: Machine): readonly GuardedPatch[] {
  const { status } = machine;
  const lists = [
    [CONDITIONS, indexOf(status?.conditions)],
    [DEPRECATED_CONDITIONS, indexOf(status?.deprecated?.v1beta1?.conditions)],
  ] as const;
  return patchOf(
    machine,
    lists.flatMap(([path, index]) =>
      index < 0 ? [] : [{ op: "remove", path: `${path}/${index}` } as const],
    ),
  );
}

function patchOf(machine: Machine, operations: readonly PatchOperation[]): readonly GuardedPatch[] {
  return operations.length === 0
    ? []
    : [{ target: refTo(Machine, machine), subresource: "status", operations }];
}

function indexOf(conditions: readonly { readonly type: string }[] | undefined): number {
  return conditions?.findIndex(({ type }) => type === "OwnerRemediated") ?? -1;
}
