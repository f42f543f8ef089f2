import type { Kind } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { User } from "../play/user.ts";

/** The sets of a deployment, by its label. */
export function setsOf(user: User, name = "d1"): readonly MachineSet[] {
  return user
    .list(MachineSet)
    .filter(({ metadata }) => metadata.labels?.["cluster.x-k8s.io/deployment-name"] === name);
}

/** Whether a deployment has so many Machines, all available and of its template, in one set. */
export function isRolledOut(user: User, replicas: number, name = "d1"): boolean {
  const deployment = user.see(MachineDeployment, name);
  const { status, spec } = deployment ?? {};
  const [set, ...others] = setsOf(user, name);
  return (
    others.length === 0 &&
    set?.spec.replicas === replicas &&
    set.spec.template.spec.version === spec?.template.spec.version &&
    status?.replicas === replicas &&
    status.availableReplicas === replicas &&
    status.upToDateReplicas === replicas
  );
}

/** Whether the rollout of a deployment of so many Machines is under way, or over: that of a recreated one begins with its last template. */
export function hasBegun(user: User, replicas: number): boolean {
  return setsOf(user).length > 1 || isRolledOut(user, replicas);
}

export async function editDeployment(user: User, ...operations: readonly PatchOperation[]): Promise<void> {
  await user.patch(MachineDeployment as Kind, "d1", operations);
}

/** Another version of the template: a rollout. */
export async function rollOut(user: User, version: string): Promise<void> {
  await editDeployment(user, { op: "replace", path: "/spec/template/spec/version", value: version });
}
