import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../../../shared/api/indexes.ts";
import { type KubeObject, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { labelValueOf } from "../../../../../shared/api/names.ts";
import type { GuardedPatch } from "../../../../../shared/function/define-function.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { condition, type DesiredCondition } from "../../../../../shared/rules/conditions/conditions.ts";
import { CLONED_FROM_FIELDS, isClonedFrom } from "../../../../../shared/rules/machines/clones.ts";
import { CONTROL_PLANE_NAME_LABEL } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import {
  type InPlaceTemplate,
  inPlacePatch,
  objectPatch,
} from "../../../../../shared/rules/machines/in-place.ts";
import { SimBootstrapConfig } from "../../../api/sim-bootstrap.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { type AnyControlPlane, isLegacy, type MachineTemplate, wantedVersion } from "./control-plane-view.ts";

/** The fields of configs and infrastructure machines that `differences` reads. */
export const CLONE_FIELDS = ["metadata.uid", ...CLONED_FROM_FIELDS] as const;

/** A control plane Machine with what was cloned for it, as far as it exists. */
export interface ControlPlaneMachine {
  readonly machine: Machine;
  readonly infraMachine: KubeObject | undefined;
  readonly config: KubeObject | undefined;
}

/**
 * Returns why a Machine has to be replaced, in sentences for people; none: it is up to date. An object that does not
 * exist yet will be cloned from the present template.
 */
export function differences(
  object: AnyControlPlane,
  template: MachineTemplate,
  { machine, infraMachine, config }: ControlPlaneMachine,
  now: Date,
): readonly string[] {
  const version = wantedVersion(object);
  const { infrastructureRef, bootstrap } = template.spec;
  const found: string[] = [];
  if (version !== undefined && machine.spec.version !== version) {
    found.push(`Version ${machine.spec.version ?? "none"}, ${version} required`);
  }
  if (infraMachine !== undefined && !isClonedFrom(infraMachine, infrastructureRef)) {
    found.push(`${infraMachine.kind} is not from ${infrastructureRef.kind} ${infrastructureRef.name}`);
  }
  const { configRef } = bootstrap;
  if (config !== undefined && configRef !== undefined && !isClonedFrom(config, configRef)) {
    found.push(`${config.kind} is not from ${configRef.kind} ${configRef.name}`);
  }
  if (isExpired(object, machine, now)) found.push("It was created before spec.rollout.after");
  return found;
}

function isExpired(object: AnyControlPlane, { metadata }: Machine, now: Date): boolean {
  const after = rolloutAfterMs(object);
  return (
    after !== undefined && after <= now.getTime() && Date.parse(metadata.creationTimestamp ?? "") < after
  );
}

/** Returns when all Machines that are older are replaced, ms since the epoch; `undefined`: no such time is set. */
export function rolloutAfterMs(object: AnyControlPlane): number | undefined {
  const after = isLegacy(object) ? undefined : object.spec.rollout?.after;
  return after === undefined ? undefined : Date.parse(after);
}

/** The condition UpToDate of a Machine with these differences. */
export function upToDateCondition(found: readonly string[]): DesiredCondition {
  return found.length === 0
    ? condition("UpToDate", "True", "UpToDate")
    : condition("UpToDate", "False", "NotUpToDate", found.map((each) => `* ${each}`).join("\n"));
}

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
