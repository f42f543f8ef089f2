import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Result } from "../../../shared/function/result.ts";
import { MACHINE_FINALIZER } from "../../../shared/rules/machines/new-machine.ts";
import { hold, unguarded } from "../../../shared/rules/metadata/hold.ts";

export { MACHINE_FINALIZER };

/** Returns why a Machine is left alone; `undefined` when it may be worked on. */
export function machineHold(machine: Machine, cluster: Cluster | undefined): Result | undefined {
  return hold(machine, cluster, MACHINE_FINALIZER);
}

/** Returns what `status` waits for before it says anything about a Machine that lives. */
export function machineUnguarded(machine: Machine): Result | undefined {
  return unguarded(machine, MACHINE_FINALIZER);
}

/** Whether all but the guard have nothing to do yet: its patch wakes them. */
export function isUnguarded(machine: Machine): boolean {
  return machineUnguarded(machine) !== undefined;
}
