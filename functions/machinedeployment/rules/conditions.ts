import { isDeleting } from "../../../shared/function/guards.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  withUpToDateReported,
} from "../../../shared/rules/machines/machine-conditions.ts";
import {
  deletingMachines,
  type Size,
  scalingDownCondition,
  scalingUpCondition,
  waitingForReplicas,
  wantedReplicas,
} from "../../../shared/rules/machines/scaling-conditions.ts";
import { limits } from "../../../shared/rules/rollout/limits.ts";
import { planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { deploymentProblem } from "../../../shared/rules/rollout/problems.ts";
import { deploymentCounters } from "./counters.ts";
import type { StatusView } from "./view.ts";

/** The conditions of a deployment that is not paused. */
export function deploymentConditionsOf(view: StatusView): readonly DesiredCondition[] {
  const { deployment, cluster, machines, now } = view;
  const size = sizeOf(view);
  return [
    available(view),
    rollingOut(view),
    scalingUp(view, size),
    scalingDownCondition(size, { machines, now }),
    machinesReady("MachinesReady", machines),
    machinesUpToDate("MachinesUpToDate", withUpToDateReported(machines, now)),
    remediating(machines, "MachineDeployment/MachineSet"),
    deleting(view),
    pausedCondition(cluster, deployment, "MachineDeployment"),
  ];
}

/** Returns the Machines of all sets, also those that are being deleted, and the Machines wanted. */
export function sizeOf({ deployment, sets }: StatusView): Size {
  return { present: deploymentCounters(sets).replicas ?? 0, wanted: wantedReplicas(deployment) };
}

function available({ deployment, sets }: StatusView): DesiredCondition {
  const type = "Available";
  const { replicas, rollout } = deployment.spec;
  if (replicas === undefined) return waitingForReplicas(type);
  const { availableReplicas } = deploymentCounters(sets);
  if (availableReplicas === undefined) {
    const text = "Waiting for status.availableReplicas set";
    return condition(type, "Unknown", "WaitingForAvailableReplicasSet", text);
  }
  const { atLeast } = limits(planSpec(deployment));
  if (availableReplicas >= atLeast) return condition(type, "True", type);
  if (isDeleting(deployment)) return condition(type, "False", "NotAvailable", "Deletion in progress");
  const { type: strategy, rollingUpdate } = rollout?.strategy ?? {};
  const limit =
    strategy === "OnDelete"
      ? ""
      : ` (spec.strategy.rollout.maxUnavailable is ${rollingUpdate?.maxUnavailable ?? 0}, spec.replicas is ${replicas})`;
  const counts = `${availableReplicas} available replicas, at least ${atLeast} required`;
  return condition(type, "False", "NotAvailable", `${counts}${limit}`);
}

/** Names what differs, the versions first. */
function rollingOut({ machines }: StatusView): DesiredCondition {
  const type = "RollingOut";
  const outdated = machines
    .map(({ status }) => conditionOf(status?.conditions, "UpToDate"))
    .filter((upToDate) => upToDate?.status === "False");
  if (outdated.length === 0) return condition(type, "False", "NotRollingOut");
  const lines = new Set(
    outdated.flatMap((upToDate) => (upToDate?.message ?? "").split("\n")).filter((line) => line !== ""),
  );
  const isVersion = (line: string) => line.startsWith("* Version");
  const sorted = [...lines].toSorted(
    (a, b) => Number(isVersion(b)) - Number(isVersion(a)) || compareText(a, b),
  );
  const text = `Rolling out ${outdated.length} not up-to-date replicas`;
  return condition(type, "True", type, [text, ...sorted].join("\n"));
}

function scalingUp({ deployment, blockers }: StatusView, size: Size): DesiredCondition {
  const problem = deploymentProblem(deployment);
  if (size.wanted === undefined && problem !== undefined) {
    const { message, ...waiting } = waitingForReplicas("ScalingUp");
    return { ...waiting, message: `${message}: ${problem}` };
  }
  return scalingUpCondition(size, {
    now: blockers.length === 0 || isDeleting(deployment) ? "" : ` is blocked because ${blockers.join("; ")}`,
    lasting: isDeleting(deployment) ? [] : blockers,
  });
}

function deleting({ deployment, sets, machines, now }: StatusView): DesiredCondition {
  const type = "Deleting";
  if (!isDeleting(deployment)) return condition(type, "False", "NotDeleting");
  if (machines.length > 0) return deletingMachines(machines, now);
  const text = sets.length === 0 ? "Deletion completed" : `Deleting ${sets.length} MachineSets`;
  return condition(type, "True", type, text);
}
