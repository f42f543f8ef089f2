import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { User } from "../play/user.ts";

/** Whether a Machine runs and its Node is ready. */
export function isReady({ status }: Machine): boolean {
  return status?.phase === "Running" && conditionOf(status.conditions, "Ready")?.status === "True";
}

/** Whether a set has so many Machines, all of them available. */
export function isComplete(user: User, replicas: number, name = "s1"): boolean {
  const { status } = user.see(MachineSet, name) ?? {};
  return status?.replicas === replicas && (status.availableReplicas ?? 0) === replicas;
}

/** Machines whose controller has this name. */
export function machinesOf(user: User, owner: string): readonly Machine[] {
  return user
    .list(Machine)
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ name, controller }) => controller === true && name === owner),
    );
}

export async function scaleSet(user: User, replicas: number, name = "s1"): Promise<void> {
  const operations = [{ op: "replace", path: "/spec/replicas", value: replicas }] as const;
  await user.patch(MachineSet as Kind, name, operations);
}
