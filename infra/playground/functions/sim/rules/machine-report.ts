import type { Decision } from "../../../../../shared/function/define-function.ts";
import { type DesiredCondition, setConditions } from "../../../../../shared/rules/conditions/conditions.ts";
import type { SimInstance } from "../../../api/sim-cloud.ts";
import type { SimMachine } from "../../../api/sim-machine.ts";

/** The status fields of a SimMachine; the function `sim-machine` writes all of them each time. */
export const MACHINE_STATUS = [
  "status.initialization.provisioned",
  "status.ready",
  "status.addresses",
  "status.failureDomain",
  "status.interruptible",
  "status.conditions",
] as const;
export type SimMachineDecision = Decision<SimMachine, (typeof MACHINE_STATUS)[number]>;

/** Returns the present status with these conditions, and what an instance says. Provisioned stays. */
export function machineReport(
  { status, spec, metadata }: SimMachine,
  desired: readonly DesiredCondition[],
  now: Date,
  provisioned?: SimInstance,
): NonNullable<SimMachineDecision["apply"]> {
  const flag = provisioned === undefined ? status?.initialization?.provisioned : true;
  return {
    "status.initialization.provisioned": flag,
    "status.ready": flag,
    "status.addresses": provisioned?.status?.addresses ?? status?.addresses,
    "status.failureDomain": provisioned?.spec.failureDomain ?? status?.failureDomain,
    "status.interruptible": spec.interruptible,
    "status.conditions": setConditions(status?.conditions, desired, now, metadata.generation),
  };
}
