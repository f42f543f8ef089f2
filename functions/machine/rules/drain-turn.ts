import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { hooksOf } from "./hooks.ts";
import { leftOf } from "./left.ts";
import type { NodeHandling } from "./node-handling.ts";

/** Everything beside the deleted Machine that decides about the drain's turn. */
export interface TurnFacts {
  readonly cluster: Cluster | undefined;
  readonly handling: NodeHandling;
  readonly infrastructure: Referenced;
}

/** The fields of the Machine that `drainTurn` reads, beside its words and the fields of `hooksOf` and `nodeHandling`. */
export const TURN_FIELDS = [
  "metadata.deletionTimestamp",
  "status.deletion.waitForPreTerminateHookStartTime",
] as const;
/** The field that says which stage the drain has come to. */
export const WORD_FIELDS = ["status.conditions[Deleting].reason"] as const;

/** Reasons of `Deleting` that only the drain writes: only it knows which Pods and volumes are left. */
const OF_DRAIN: ReadonlySet<string> = new Set(["DrainingNode", "WaitingForVolumeDetach"]);
/** Reasons of `Deleting` of stages 4 to 8: the drain is over. */
const BEHIND_DRAIN: ReadonlySet<string> = new Set([
  "WaitingForPreTerminateHook",
  "WaitingForInfrastructureDeletion",
  "WaitingForBootstrapDeletion",
  "DeletingNode",
  "DeletionCompleted",
]);

/**
 * Whether `machine-drain` has the turn: it alone then writes the condition `Deleting`, and `machine-delete` waits. The
 * turn ends with what the drain writes, with the infrastructure machine, or with the permission to handle the Node. It
 * is asked of a Machine that is not paused.
 */
export function drainTurn(machine: Machine, { cluster, handling, infrastructure }: TurnFacts): boolean {
  return (
    isDeleting(machine) &&
    handling.state === "allowed" &&
    hooksOf(machine, "pre-drain").length === 0 &&
    leftOf(machine, cluster, infrastructure) === "present" &&
    machine.status?.deletion?.waitForPreTerminateHookStartTime === undefined &&
    !isBehindDrain(machine)
  );
}

/** Whether `Deleting` says a stage behind the drain. */
export function isBehindDrain(machine: Machine): boolean {
  return BEHIND_DRAIN.has(deletingReason(machine));
}

/** Whether `Deleting` says what only the drain knows. In its turn such a condition is left to it. */
export function isWordOfDrain(machine: Machine): boolean {
  return OF_DRAIN.has(deletingReason(machine));
}

function deletingReason({ status }: Machine): string {
  return conditionOf(status?.conditions, "Deleting")?.reason ?? "";
}

/** They write other conditions of a Machine, each its own. */
export const OTHER_WRITERS = ["machinepool-remediate", "machineset-remediate"];
