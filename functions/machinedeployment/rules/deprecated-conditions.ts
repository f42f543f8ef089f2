import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  mirrorDeprecatedCondition,
  setDeprecatedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { limits } from "../../../shared/rules/rollout/limits.ts";
import { planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { deploymentCounters, deprecatedCounters } from "./counters.ts";
import type { StatusView } from "./view.ts";

/** Returns all of `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. */
export function deploymentDeprecatedConditionsOf(view: StatusView): readonly DeprecatedCondition[] {
  const { deployment, now } = view;
  const previous = deployment.status?.deprecated?.v1beta1?.conditions;
  const desired = [available(view, "Available"), available(view, "Ready"), machineSetReady(view)];
  return setDeprecatedConditions(previous, desired, now);
}

function available(view: StatusView, type: string): DesiredDeprecatedCondition {
  const { atLeast } = limits(planSpec(view.deployment));
  if (deprecatedCounters(view).availableReplicas >= atLeast) return deprecatedCondition(type, "True");
  const { availableReplicas = 0 } = deploymentCounters(view.sets);
  return deprecatedCondition(type, "False", {
    severity: "Warning",
    reason: "WaitingForAvailableMachines",
    message: `Minimum availability requires ${atLeast} replicas, current ${availableReplicas} available`,
  });
}

function machineSetReady({ current }: StatusView): DesiredDeprecatedCondition {
  const type = "MachineSetReady";
  const mirrored = current === undefined ? undefined : mirrorDeprecatedCondition(current, type);
  return (
    mirrored ??
    deprecatedCondition(type, "False", {
      severity: "Info",
      reason: "WaitingForMachineSet",
      message: current === undefined ? "MachineSet not found" : "",
    })
  );
}
