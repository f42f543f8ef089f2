import type { Condition } from "../../../shared/api/conditions.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
  setConditions,
  timestamp,
} from "../../../shared/rules/conditions/conditions.ts";
import { waitsForRemediation } from "../../../shared/rules/machines/machine-conditions.ts";

/** On a MachinePool: `2` or `20%` of its replicas, rounded up. Machines are remediated only where it is. */
export const REMEDIATION_LIMIT = "capstan.dev/remediation-max-in-flight";

const REMEDIATE_MACHINE = "cluster.x-k8s.io/remediate-machine";
const LIMIT = /^(\d{1,9})(%?)$/;

/** How many Machines of the pool may be remediated at a time; `undefined` where remediation is not switched on. */
export function remediationLimit({ metadata, spec }: MachinePool): number | "malformed" | undefined {
  const text = metadata.annotations?.[REMEDIATION_LIMIT];
  if (text === undefined) return undefined;
  const [, digits, percent] = LIMIT.exec(text) ?? [];
  if (digits === undefined) return "malformed";
  return percent === "%" ? Math.ceil((Number(digits) * (spec.replicas ?? 1)) / 100) : Number(digits);
}

/** Actions for the Machines that health checks have handed to the pool. */
export interface Remediation {
  readonly marks: readonly GuardedPatch[];
  /** Marked in an earlier run, so that a crash between mark and deletion leaves them countable. */
  readonly doomed: readonly Machine[];
}

/**
 * `machines` are the pool's own, read live. First a Machine that has recovered gets rid of the hand-over;
 * then as many
 * as the limit allows are marked `MachineDeleting`, the others deferred; what is marked is deleted.
 * Source: MP-10.8
 */
export function poolRemediation(machines: readonly Machine[], limit: number, now: Date): Remediation {
  const alive = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const waiting = alive.filter(waitsForRemediation);
  const inFlight = machines.filter(isMarked).length;
  const candidates = waiting.filter((machine) => !isMarked(machine)).toSorted(byUrgency);
  const chosen = candidates.slice(0, Math.max(0, limit - inFlight));
  const marks = [
    ...alive.filter(hasRecovered).map((machine) => patchOf(machine, takenBack(machine))),
    ...chosen.map((machine) => patchOf(machine, marked(machine, DELETING, now))),
    ...candidates
      .slice(chosen.length)
      .map((machine) => patchOf(machine, marked(machine, deferred(limit), now))),
  ];
  return {
    marks: marks.filter(({ operations }) => operations.length > 0),
    doomed: waiting.filter(isMarked),
  };
}

/** Whether there may be something to do; snapshots are enough to ask. */
export function isHandedOver(machine: Machine): boolean {
  return waitsForRemediation(machine) || hasRecovered(machine);
}

const DELETING = condition("OwnerRemediated", "False", "MachineDeleting", "Machine is deleting");

function deferred(limit: number): DesiredCondition {
  const why = `${REMEDIATION_LIMIT} is ${limit}`;
  const message = `Waiting because there are already too many remediations in progress (${why})`;
  return condition("OwnerRemediated", "False", "RemediationDeferred", message);
}

function ownerRemediated({ status }: Machine): Condition | undefined {
  return conditionOf(status?.conditions, "OwnerRemediated");
}

function isMarked(machine: Machine): boolean {
  const { status, reason } = ownerRemediated(machine) ?? {};
  return status === "False" && reason === "MachineDeleting";
}

function hasRecovered(machine: Machine): boolean {
  const healthy = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "True";
  return healthy && ownerRemediated(machine)?.status === "False";
}

/** Those that a person has asked for first, then the youngest, then by name. */
function byUrgency(a: Machine, b: Machine): number {
  const asked = ({ metadata }: Machine) =>
    Number(Object.hasOwn(metadata.annotations ?? {}, REMEDIATE_MACHINE));
  const created = ({ metadata }: Machine) => metadata.creationTimestamp ?? "";
  return (
    asked(b) - asked(a) ||
    compareText(created(b), created(a)) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

function patchOf(machine: Machine, operations: readonly PatchOperation[]): GuardedPatch {
  return { target: refTo(Machine, machine), subresource: "status", operations };
}

const CONDITIONS = "/status/conditions";
const DEPRECATED_CONDITIONS = "/status/deprecated/v1beta1/conditions";

/** Several writers take turns with this condition, so it is patched, never applied. The older copy follows a mark. */
function marked(machine: Machine, desired: DesiredCondition, now: Date): readonly PatchOperation[] {
  const { status = {}, metadata } = machine;
  const index = indexOf(status.conditions);
  const stored = status.conditions?.[index];
  if (stored === undefined || (stored.reason === desired.reason && stored.message === desired.message))
    return [];
  const [value] = setConditions([stored], [desired], now, metadata.generation);
  const older = status.deprecated?.v1beta1?.conditions;
  const olderIndex = indexOf(older);
  const remediated = { type: "OwnerRemediated", status: "True", lastTransitionTime: timestamp(now) };
  const follows = desired === DELETING && olderIndex >= 0 && older?.[olderIndex]?.status !== "True";
  return [
    { op: "replace", path: `${CONDITIONS}/${index}`, value },
    ...(follows
      ? [{ op: "replace", path: `${DEPRECATED_CONDITIONS}/${olderIndex}`, value: remediated } as const]
      : []),
  ];
}

function takenBack({ status }: Machine): readonly PatchOperation[] {
  const lists = [
    [CONDITIONS, indexOf(status?.conditions)],
    [DEPRECATED_CONDITIONS, indexOf(status?.deprecated?.v1beta1?.conditions)],
  ] as const;
  return lists.flatMap(([path, index]) => (index < 0 ? [] : [{ op: "remove", path: `${path}/${index}` }]));
}

function indexOf(conditions: readonly { readonly type: string }[] | undefined): number {
  return conditions?.findIndex(({ type }) => type === "OwnerRemediated") ?? -1;
}
