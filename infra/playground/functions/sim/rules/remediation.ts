import { refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../../shared/api/patch.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { GuardedPatch } from "../../../../../shared/function/define-function.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { condition, conditionOf, timestamp } from "../../../../../shared/rules/conditions/conditions.ts";
import { deprecatedCondition } from "../../../../../shared/rules/conditions/deprecated-conditions.ts";
import { conditionOperations } from "../../../../../shared/rules/machines/condition-patch.ts";
import { SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import type { SimRemediation } from "../../../api/sim-remediation.ts";

type Status = NonNullable<SimRemediation["status"]>;

/** The next step of a repair. */
export interface RepairStep {
  /** The status afterwards. */
  readonly status: Status;
  readonly reboots: boolean;
  /** The Machine is left to its owner. */
  readonly givesUp: boolean;
  /** When the next step is due, ms; `undefined`: time changes nothing. */
  readonly nextInMs?: number | undefined;
}

const DEFAULTS = { delaySeconds: 2, timeoutSeconds: 60, retryLimit: 1 };

/**
 * The course of a repair: Running for the time of a reboot, Waiting for the Machine to become healthy, the same again as
 * often as the limit allows, then given up. A Machine without instance has failed at once, and is left as it is.
 */
export function repairStep(
  { spec, status = {} }: SimRemediation,
  instance: SimInstance | undefined,
  now: Date,
): RepairStep {
  const { delaySeconds, timeoutSeconds, retryLimit } = { ...DEFAULTS, ...spec };
  const stays = { status, reboots: false, givesUp: false };
  if (status.phase === "Failed") return stays;
  if (status.phase === "Deleting machine") return { ...stays, givesUp: true };
  if (instance === undefined) return { ...stays, status: { ...status, phase: "Failed" } };
  const begun = (phase: "Running" | "Waiting", retryCount: number): Status => ({
    phase,
    retryCount,
    lastRemediated: timestamp(now),
  });
  const { retryCount = 0, lastRemediated = "" } = status;
  const leftMs = (seconds: number) => Date.parse(lastRemediated) + seconds * SECOND - now.getTime();
  if (status.phase === undefined) {
    return { ...stays, status: begun("Running", 0), nextInMs: delaySeconds * SECOND };
  }
  if (status.phase === "Running") {
    const leftInMs = leftMs(delaySeconds);
    if (leftInMs > 0) return { ...stays, nextInMs: leftInMs };
    const waiting = begun("Waiting", retryCount);
    return { ...stays, status: waiting, reboots: true, nextInMs: timeoutSeconds * SECOND };
  }
  const leftInMs = leftMs(timeoutSeconds);
  if (leftInMs > 0) return { ...stays, nextInMs: leftInMs };
  if (retryCount >= retryLimit) {
    return { ...stays, status: { ...status, phase: "Deleting machine" }, givesUp: true };
  }
  return { ...stays, status: begun("Running", retryCount + 1), nextInMs: delaySeconds * SECOND };
}

/** Returns the name of the instance of a Machine; `undefined` where another provider made it. */
export function instanceOf({ spec }: Machine): string | undefined {
  const { apiGroup, kind, name } = spec.infrastructureRef;
  return apiGroup === SimMachine.group && kind === SimMachine.kind ? name : undefined;
}

/**
 * Reboots an instance: its Node is registered again, and its failures are over if `heals`. No operation depends on what
 * others write, so that the patch loses no race to them.
 */
export function rebootPatch(instance: SimInstance, heals: boolean): GuardedPatch {
  const { resourceVersion: _, ...target } = refTo(SimInstance, instance);
  const reboots = (instance.spec.reboots ?? 0) + 1;
  const healed: readonly PatchOperation[] = heals ? [{ op: "add", path: "/spec/faults", value: {} }] : [];
  return { target, operations: [...healed, { op: "add", path: "/spec/reboots", value: reboots }] };
}

const OWNER = "OwnerRemediated";

/**
 * Leaves an unhealthy Machine to its owner, as the contract of external controllers says: OwnerRemediated becomes False
 * where it is absent or True. Some real controllers write the deprecated list only.
 */
export function giveUpPatch(machine: Machine, { spec }: SimRemediation, now: Date): readonly GuardedPatch[] {
  const { conditions = [], deprecated } = machine.status ?? {};
  const hasFailed = conditionOf(conditions, "HealthCheckSucceeded")?.status === "False";
  if (!hasFailed || isDeleting(machine)) return [];
  const isFree = (status: string | undefined) => status === undefined || status === "True";
  const message = "The reboots of its SimRemediation did not help";
  const present = spec.gaveUpIn !== "Deprecated" && isFree(conditionOf(conditions, OWNER)?.status);
  const older = isFree(conditionOf(deprecated?.v1beta1?.conditions, OWNER)?.status);
  const reason = "WaitingForRemediation";
  const changes = {
    present: present ? [condition(OWNER, "False", reason, message)] : [],
    deprecated: older ? [deprecatedCondition(OWNER, "False", { severity: "Warning", reason, message })] : [],
  };
  const operations = conditionOperations(machine, changes, now);
  return operations.length === 0
    ? []
    : [{ target: refTo(Machine, machine), subresource: "status", operations }];
}
