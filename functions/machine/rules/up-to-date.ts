import { groupOf } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { prefixedVersion } from "../../../shared/rules/machines/versions.ts";

const TYPE = "UpToDate";

/** The fields of a MachineSet that `upToDateCondition` reads. */
export const SET_FIELDS = ["metadata.uid", "metadata.ownerReferences", "spec.template.spec"] as const;
/** The fields of a MachineDeployment that `upToDateCondition` reads. */
export const DEPLOYMENT_FIELDS = ["metadata.uid", "spec.template.spec", "spec.rollout.after"] as const;

/** The owners that together decide about the spec of a Machine; only beside Cluster API, which runs MachineDeployments. */
export interface Rollout {
  readonly set: MachineSet;
  readonly deployment: MachineDeployment;
}

interface Inputs {
  readonly rollout: Rollout;
  readonly updating: DesiredCondition;
  readonly kubeletVersion: string | undefined;
  readonly now: Date;
}

/**
 * Whether `machine-status` says whether a Machine is up to date: pools and control planes say it of theirs.
 * Differs: Cluster API leaves it out for a Machine of its own and for that of a set without MachineDeployment, which
 * clusterctl then counts as outdated and their Cluster as unknown.
 * Source: MA-5.7
 */
export function isJudgedHere(machine: Machine): boolean {
  const controller = machine.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller === undefined) return !isControlPlaneMachine(machine);
  return controller.kind === MachineSet.kind && groupOf(controller.apiVersion) === MachineSet.group;
}

/** `UpToDate` of a Machine that nothing replaces when a template changes: it is as it was wanted. Source: MA-5.7 */
export function upToDateAlone(updating: DesiredCondition): DesiredCondition {
  return updating.status === "True" ? inPlace(updating) : condition(TYPE, "True", "UpToDate");
}

/** `UpToDate` of a Machine of a MachineDeployment: first match. Source: MA-5.7 */
export function upToDateCondition(
  { spec }: Machine,
  { rollout, updating, kubeletVersion, now }: Inputs,
): DesiredCondition {
  const outdated = [...differences(rollout), ...rolloutLines(rollout, now)];
  if (outdated.length > 0) return condition(TYPE, "False", "NotUpToDate", outdated.join("\n"));
  if (updating.status === "True") return inPlace(updating);
  // Empty until the kubelet reports. Cluster API's controllers, which look at these Machines, too, judge the same.
  if (kubeletVersion && spec.version !== undefined) {
    const wanted = prefixedVersion(spec.version);
    const line = `* Node.status.nodeInfo.kubeletVersion ${kubeletVersion}, ${wanted} required`;
    if (kubeletVersion !== wanted) return condition(TYPE, "False", "Updating", line);
  }
  return condition(TYPE, "True", "UpToDate");
}

function inPlace({ message }: DesiredCondition): DesiredCondition {
  return condition(TYPE, "False", "Updating", `* ${message || "In-place update in progress"}`);
}

/** When `spec.rollout.after` of the MachineDeployment comes; `undefined`: it is past or absent. */
export function rolloutInMs({ deployment }: Rollout, now: Date): number | undefined {
  const inMs = Date.parse(deployment.spec?.rollout?.after ?? "") - now.getTime();
  return inMs > 0 ? inMs : undefined;
}

function rolloutLines({ set, deployment }: Rollout, now: Date): readonly string[] {
  const after = Date.parse(deployment.spec?.rollout?.after ?? "");
  const created = Date.parse(set.metadata.creationTimestamp ?? "");
  return after < now.getTime() && created < after ? ["* MachineDeployment spec.rolloutAfter expired"] : [];
}

function differences({ set, deployment }: Rollout): readonly string[] {
  const present = set.spec.template.spec;
  const wanted = deployment.spec?.template?.spec ?? {};
  const version = [present.version, wanted.version].map((text) => text && prefixedVersion(text));
  return [
    ...required("Version", version[0], version[1]),
    ...bootstrapLines(present.bootstrap, wanted.bootstrap ?? {}),
    ...referenceLines(present.infrastructureRef, wanted.infrastructureRef),
    ...required("Failure domain", present.failureDomain, wanted.failureDomain),
  ];
}

type Bootstrap = Partial<MachineSet["spec"]["template"]["spec"]["bootstrap"]>;

function bootstrapLines(present: Bootstrap, wanted: Bootstrap): readonly string[] {
  return wanted.configRef === undefined
    ? required("spec.bootstrap.dataSecretName", present.dataSecretName, wanted.dataSecretName)
    : referenceLines(present.configRef, wanted.configRef);
}

function referenceLines(
  present: { readonly kind: string } | undefined,
  wanted: { readonly kind: string } | undefined,
): readonly string[] {
  if (sameJson(present, wanted)) return [];
  const { kind = "" } = wanted ?? present ?? {};
  return [`* ${kind.replace(/Template$/, "")} is not up-to-date`];
}

function required(what: string, present: string | undefined, wanted: string | undefined): readonly string[] {
  return present === wanted ? [] : [`* ${what} ${present ?? "nil"}, ${wanted ?? "nil"} required`];
}
