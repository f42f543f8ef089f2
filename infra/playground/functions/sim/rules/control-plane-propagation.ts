import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../../../shared/api/indexes.ts";
import { type KubeObject, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { labelValueOf } from "../../../../../shared/api/names.ts";
import type { GuardedPatch } from "../../../../../shared/function/define-function.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { CONTROL_PLANE_NAME_LABEL } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import {
  type InPlaceTemplate,
  inPlacePatch,
  objectPatch,
} from "../../../../../shared/rules/machines/in-place.ts";
import { SimBootstrapConfig } from "../../../api/sim-bootstrap.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import type { ControlPlaneMachine } from "./control-plane-up-to-date.ts";
import type { AnyControlPlane, MachineTemplate } from "./control-plane-view.ts";

/**
 * The part of the template that existing Machines follow without being replaced, with the labels that every control
 * plane Machine has whatever the template says.
 */
export function inPlaceTemplate(
  object: AnyControlPlane,
  { metadata, spec }: MachineTemplate,
  clusterName: string,
): InPlaceTemplate {
  const labels = {
    ...metadata.labels,
    [CLUSTER_NAME_LABEL]: clusterName,
    [CONTROL_PLANE_LABEL]: "",
    [CONTROL_PLANE_NAME_LABEL]: labelValueOf(object.metadata.name),
  };
  return { own: metadata, metadata: { labels, annotations: metadata.annotations }, spec };
}

/**
 * Patches that bring existing Machines and their objects in line with the template, without replacing any. Of one Machine
 * first config and infrastructure machine, the Machine with the new list of keys last: a run that is cut off is repeated
 * whole.
 */
export function propagationPatches(
  object: AnyControlPlane,
  template: MachineTemplate,
  members: readonly ControlPlaneMachine[],
): readonly GuardedPatch[] {
  return members.flatMap(({ machine, infraMachine, config }) => {
    const desired = inPlaceTemplate(object, template, machine.spec.clusterName);
    const patchOf = (kind: typeof SimMachine | typeof SimBootstrapConfig, below: KubeObject | undefined) => {
      if (below === undefined || isDeleting(below)) return [];
      const operations = objectPatch(desired, machine, below);
      return operations.length === 0 ? [] : [{ target: refTo(kind, below), operations }];
    };
    const below = [...patchOf(SimMachine, infraMachine), ...patchOf(SimBootstrapConfig, config)];
    if (below.length > 0) return below;
    const operations = inPlacePatch(desired, machine);
    return operations.length === 0 ? [] : [{ target: refTo(Machine, machine), operations }];
  });
}
