import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { World } from "../play/world.ts";

export const SETS = "cluster.x-k8s.io/machinesets";
export const MACHINES = "cluster.x-k8s.io/machines";

/** The uid of the object of this kind that controls another one. */
export function controllerUidOf({ metadata }: KubeObject, kind: string): string | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true && owner.kind === kind)?.uid;
}

/** Everything of a type that the management server has now. */
export function storedOf<T extends KubeObject>(world: World, type: string): readonly T[] {
  return [...world.management.storage.collection(type).values()] as unknown as readonly T[];
}

/** Whether Machines of both would be alike: the parts of the template that make a rollout. */
export function sameTemplate(
  { spec: one }: MachineDeployment | MachineSet,
  { spec: other }: MachineDeployment | MachineSet,
): boolean {
  const parts = ["version", "bootstrap", "infrastructureRef", "failureDomain"] as const;
  return parts.every(
    (part) => JSON.stringify(one.template.spec[part]) === JSON.stringify(other.template.spec[part]),
  );
}

/** How many Machines a rollout keeps available at least, and has at most. */
export function limitsOf({ spec }: MachineDeployment): { readonly least: number; readonly most: number } {
  const { replicas = 1, rollout } = spec;
  if (rollout?.strategy?.type === "OnDelete") return { least: 0, most: replicas };
  const { maxSurge = 1, maxUnavailable = 0 } = rollout?.strategy?.rollingUpdate ?? {};
  const share = (limit: number | string) =>
    typeof limit === "number" ? limit : (Number.parseInt(limit, 10) * replicas) / 100;
  const [surge, unavailable] = [Math.ceil(share(maxSurge)), Math.floor(share(maxUnavailable))];
  const isStuck = surge === 0 && unavailable === 0;
  return { least: Math.max(replicas - (isStuck ? 1 : unavailable), 0), most: replicas + surge };
}
