import { isDeleting } from "../../../shared/function/guards.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  withUpToDateReported,
} from "../../../shared/rules/machines/machine-conditions.ts";
import {
  deletingMachines,
  scalingDownCondition,
  scalingUpCondition,
  wantedReplicas,
} from "../../../shared/rules/machines/scaling-conditions.ts";
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

function sizeOf({ set, machines }: StatusView) {
  return { present: machines.length, wanted: wantedReplicas(set) };
}

function scalingUp(view: StatusView): DesiredCondition {
  const { set, blockers, lasting } = view;
  const problem = setProblem(set);
  const problems = problem === undefined ? [] : [problem];
  return scalingUpCondition(sizeOf(view), {
    now: blocked([...problems, ...blockers]),
    lasting: isDeleting(set) ? [] : [...problems, ...lasting],
  });
}

function blocked(why: readonly string[]): string {
  return why.length === 0 ? "" : [" is blocked because:", ...why.map((line) => `* ${line}`)].join("\n");
}

function scalingDown(view: StatusView): DesiredCondition {
  const { set, machines, now } = view;
  // Differs: upstream moves the Machines itself.
  const why = isMoving(set)
    ? ["Machines are being moved to another MachineSet, which Cluster API's manager does"]
    : [];
  return scalingDownCondition(sizeOf(view), { machines, now, suffix: blocked(why) });
}

function deleting({ set, machines, now }: StatusView): DesiredCondition {
  const type = "Deleting";
  if (!isDeleting(set)) return condition(type, "False", "NotDeleting");
  if (machines.length === 0) return condition(type, "True", "DeletionCompleted", "Deletion completed");
  return deletingMachines(machines, now);
}
