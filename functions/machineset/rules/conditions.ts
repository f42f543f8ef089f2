import { isDeleting } from "../../../shared/function/guards.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  withUpToDateReported,
} from "../../../shared/rules/machines/machine-conditions.ts";
import { staleMachines } from "../../../shared/rules/machines/stale-machines.ts";
import { setProblem } from "./problems.ts";
import { isMoving } from "./scaling.ts";
import type { StatusView } from "./view.ts";

/** The conditions of a set that is not paused. */
export function setConditionsOf(view: StatusView): readonly DesiredCondition[] {
  const { set, cluster, machines, now } = view;
  return [
    scalingUp(view),
    scalingDown(view),
    machinesReady("MachinesReady", machines),
    machinesUpToDate("MachinesUpToDate", withUpToDateReported(machines, now)),
    remediating(machines, "MachineSet"),
    deleting(view),
    pausedCondition(cluster, set, "MachineSet"),
  ];
}

function wantedReplicas({ set }: StatusView): number | undefined {
  return isDeleting(set) && set.spec.replicas !== undefined ? 0 : set.spec.replicas;
}

function waitingForReplicas(type: string): DesiredCondition {
  return condition(type, "Unknown", "WaitingForReplicasSet", "Waiting for spec.replicas set");
}

function scalingUp(view: StatusView): DesiredCondition {
  const type = "ScalingUp";
  const { set, machines, blockers, lasting } = view;
  const wanted = wantedReplicas(view);
  if (wanted === undefined) return waitingForReplicas(type);
  const problem = setProblem(set);
  const problems = problem === undefined ? [] : [problem];
  if (machines.length < wanted) {
    const text = `Scaling up from ${machines.length} to ${wanted} replicas`;
    return condition(type, "True", type, blocked(text, [...problems, ...blockers]));
  }
  const missing = isDeleting(set) ? [] : [...problems, ...lasting];
  const message = missing.length === 0 ? "" : `Scaling up would be blocked because ${missing.join("; ")}`;
  return condition(type, "False", "NotScalingUp", message);
}

function blocked(text: string, why: readonly string[]): string {
  return why.length === 0
    ? text
    : [`${text} is blocked because:`, ...why.map((line) => `* ${line}`)].join("\n");
}

function scalingDown(view: StatusView): DesiredCondition {
  const type = "ScalingDown";
  const { set, machines, now } = view;
  const wanted = wantedReplicas(view);
  if (wanted === undefined) return waitingForReplicas(type);
  if (machines.length <= wanted) return condition(type, "False", "NotScalingDown");
  const text = `Scaling down from ${machines.length} to ${wanted} replicas`;
  // Differs: upstream moves the Machines itself.
  const why = isMoving(set)
    ? ["Machines are being moved to another MachineSet, which Cluster API's manager does"]
    : [];
  const stale = staleMachines(machines, now);
  const lines = [blocked(text, why), ...(stale === undefined ? [] : [`* ${stale}`])];
  return condition(type, "True", type, lines.join("\n"));
}

function deleting({ set, machines, now }: StatusView): DesiredCondition {
  const type = "Deleting";
  if (!isDeleting(set)) return condition(type, "False", "NotDeleting");
  if (machines.length === 0) return condition(type, "True", "DeletionCompleted", "Deletion completed");
  const stale = staleMachines(machines, now);
  const lines = [
    `Deleting ${machines.length} ${machines.length === 1 ? "Machine" : "Machines"}`,
    ...(stale === undefined ? [] : [`* ${stale}`]),
  ];
  return condition(type, "True", type, lines.join("\n"));
}
