import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  setDeprecatedConditions,
  summarizeDeprecated,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import type { StatusView } from "./view.ts";

/** All of `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. Source: MS-9 */
export function setDeprecatedConditionsOf(
  view: StatusView,
  readyReplicas: number,
): readonly DeprecatedCondition[] {
  const previous = view.set.status?.deprecated?.v1beta1?.conditions;
  const list = setDeprecatedConditions(
    previous,
    [machinesCreated(view), resized(view, readyReplicas), machinesReady(view, readyReplicas)].filter(
      (entry) => entry !== undefined,
    ),
    view.now,
  );
  const ready = summarizeDeprecated(list, ["MachinesCreated", "Resized", "MachinesReady"]);
  return ready === undefined ? list : setDeprecatedConditions(list, [ready], view.now);
}

function machinesCreated({ set, machines }: StatusView): DesiredDeprecatedCondition | undefined {
  const { replicas } = set.spec;
  return replicas === undefined || machines.length < replicas
    ? undefined
    : deprecatedCondition("MachinesCreated", "True");
}

function resized(
  { set, machines }: StatusView,
  readyReplicas: number,
): DesiredDeprecatedCondition | undefined {
  const type = "Resized";
  const present = machines.length;
  const { replicas } = set.spec;
  if (replicas === undefined) return undefined;
  if (present !== replicas) {
    const [reason, direction] = present < replicas ? ["ScalingUp", "up"] : ["ScalingDown", "down"];
    const message = `Scaling ${direction} MachineSet to ${replicas} replicas (actual ${present})`;
    return deprecatedCondition(type, "False", { severity: "Warning", reason, message });
  }
  return readyReplicas === present ? deprecatedCondition(type, "True") : undefined;
}

function machinesReady({ machines }: StatusView, readyReplicas: number): DesiredDeprecatedCondition {
  const type = "MachinesReady";
  if (readyReplicas === machines.length) return deprecatedCondition(type, "True");
  const message = `${readyReplicas} of ${machines.length} Machines are ready`;
  return deprecatedCondition(type, "False", { severity: "Info", reason: "WaitingForReplicasReady", message });
}
