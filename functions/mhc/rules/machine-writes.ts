import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { GuardedPatch, Notice } from "../../../shared/function/define-function.ts";
import { condition, conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import {
  type ConditionChanges,
  conditionOperations,
} from "../../../shared/rules/machines/condition-patch.ts";
import { remediationActor } from "../../../shared/rules/machines/remediation-actor.ts";
import {
  FAILED_AT_ANNOTATION,
  FAILURE_ANNOTATION,
  MARK_REASON,
  RECOVERY_REASON,
} from "../../../shared/rules/machines/remediation-events.ts";
import { handOverChanges } from "./hand-over.ts";
import { failedAt } from "./health.ts";

const HEALTH = "HealthCheckSucceeded";

/** Says that an external controller is to act. */
export const EXTERNAL_MARK = condition("ExternallyRemediated", "False", "WaitingForRemediation");

/** Says something on a Machine; nothing when it is there already. */
export function statementPatch(
  machine: Machine,
  changes: ConditionChanges,
  now: Date,
): readonly GuardedPatch[] {
  const announces = recovered(machine, changes);
  return patchOf(machine, conditionOperations(machine, changes, now)).map((patch) =>
    announces === undefined ? patch : { ...patch, announces },
  );
}

/**
 * Hands a Machine to its owner in the very version in which its check was seen to have failed. Without a limit nothing
 * is reserved, and the same patch says why: `said`.
 */
export function handOverPatch(
  check: MachineHealthCheck,
  machine: Machine,
  now: Date,
  said: ConditionChanges = {},
): readonly GuardedPatch[] {
  const turn = handOverChanges(machine);
  const changes = {
    present: [...(said.present ?? []), ...(turn.present ?? [])],
    deprecated: [...(said.deprecated ?? []), ...(turn.deprecated ?? [])],
  };
  const operations = conditionOperations(machine, changes, now);
  const announces = markedUnhealthy(check, machine, now, conditionOf(said.present, HEALTH)?.reason);
  return patchOf(machine, operations).map((patch) => ({ ...patch, announces }));
}

/** Takes back what the owner of a recovered Machine has not removed. */
export function leftOverPatch(machine: Machine, now: Date): readonly GuardedPatch[] {
  return patchOf(machine, conditionOperations(machine, { removed: ["OwnerRemediated"] }, now));
}

/** Repeats for the owner what an external controller that gives up has said in the older family only. */
export function givenUpPatch(machine: Machine, now: Date): readonly GuardedPatch[] {
  const { present = [] } = handOverChanges(machine);
  return patchOf(machine, conditionOperations(machine, { present }, now));
}

/** Returns a patch that tests the health as seen: a restored server may give the same version to another one. */
function patchOf(machine: Machine, operations: readonly PatchOperation[]): readonly GuardedPatch[] {
  if (operations.length === 0) return [];
  return [
    {
      target: refTo(Machine, machine),
      subresource: "status",
      operations: [...healthTest(machine), ...operations],
      ifFails: { event: "FailedPatchMachine" },
    },
  ];
}

function healthTest({ status }: Machine): readonly PatchOperation[] {
  const index = status?.conditions?.findIndex(({ type }) => type === HEALTH) ?? -1;
  if (index < 0) return [];
  return [{ op: "test", path: `/status/conditions/${index}`, value: status?.conditions?.[index] }];
}

/** Announces each remediation once, when the check fails, with the object that acts. */
export function markedUnhealthy(
  check: MachineHealthCheck,
  machine: Machine,
  now: Date,
  said?: string,
): Notice {
  const { namespace = "", name } = machine.metadata;
  const occasion = failedAt(machine) ?? timestamp(now);
  const reason = said ?? conditionOf(machine.status?.conditions, HEALTH)?.reason ?? "";
  return {
    type: "Normal",
    reason: MARK_REASON,
    message: `Machine ${namespace}/${name} has been marked as unhealthy by ${check.metadata.namespace ?? ""}/${check.metadata.name}`,
    about: identityOf(machine),
    related: remediationActor(check, machine),
    annotations: { [FAILED_AT_ANNOTATION]: occasion, [FAILURE_ANNOTATION]: reason },
    occasion,
  };
}

/** Returns the Event with the condition that takes its failure back, of a Machine that was handed over. */
function recovered(machine: Machine, { present = [] }: ConditionChanges): Notice | undefined {
  const occasion = failedAt(machine);
  const conditions = machine.status?.conditions;
  const isHandedOver = [EXTERNAL_MARK.type, "OwnerRemediated"].some(
    (type) => conditionOf(conditions, type)?.status === "False",
  );
  if (occasion === undefined || !isHandedOver || conditionOf(present, HEALTH)?.status !== "True")
    return undefined;
  const { namespace = "", name } = machine.metadata;
  return {
    type: "Normal",
    reason: RECOVERY_REASON,
    message: `Machine ${namespace}/${name} is healthy again`,
    about: identityOf(machine),
    occasion,
  };
}

/** The subject of an Event needs no more, and a Decision may hold thousands. */
export function identityOf({ apiVersion, kind, metadata }: Machine): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}
