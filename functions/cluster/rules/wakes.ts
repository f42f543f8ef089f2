import { POOL_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { ToKeys } from "../../../shared/function/define-function.ts";
import { clusterOf } from "../../../shared/function/mappings.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";

/** Conditions of workers whose messages a Cluster repeats when they are not good. */
export const REPEATED_FIELDS = [
  "status.conditions[Available]",
  "status.conditions[RollingOut]",
  "status.conditions[ScalingDown]",
  "status.conditions[ScalingUp]",
] as const;
export const MESSAGE_FIELDS = [
  "status.conditions[Available].message",
  "status.conditions[RollingOut].message",
  "status.conditions[ScalingDown].message",
  "status.conditions[ScalingUp].message",
] as const;
/** The same of Machines. */
export const MACHINE_MESSAGE_FIELDS = [
  "status.conditions[Ready].message",
  "status.conditions[UpToDate].message",
  "status.conditions[OwnerRemediated].message",
] as const;

/** The status of a condition that has nothing to repeat. */
const GOOD = {
  Available: "True",
  OwnerRemediated: "True",
  Ready: "True",
  RollingOut: "False",
  ScalingDown: "False",
  ScalingUp: "False",
  UpToDate: "True",
};

/** A Machine → its Cluster, unless it belongs to a pool, which speaks for its Machines. */
export const clusterOfMachine: ToKeys = async (seen, reconciled, lookup) =>
  ofPool(seen.object) ? [] : clusterOf(seen, reconciled, lookup);

/** A control plane Machine → its Cluster. */
export const clusterOfControlPlane: ToKeys = async (seen, reconciled, lookup) =>
  isControlPlaneMachine(seen.object) ? clusterOfMachine(seen, reconciled, lookup) : [];

/** An object with a condition that is not good → its Cluster: the messages of good ones change nothing there. */
export const clusterOfTroubled: ToKeys = async (seen, reconciled, lookup) => {
  const isTroubled = Object.entries(GOOD).some(([type, good]) => {
    const status = valueAt(seen.object, `status.conditions[${type}].status`);
    return status !== undefined && status !== good;
  });
  return isTroubled ? clusterOfMachine(seen, reconciled, lookup) : [];
};

function ofPool({ kind, metadata }: KubeObject): boolean {
  return kind === "Machine" && metadata.labels?.[POOL_NAME_LABEL] !== undefined;
}
