import { type ContractReference, groupOf } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { isClone, isClonedFrom, kindOfClones } from "../../../shared/rules/machines/clones.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { prefixedVersion } from "../../../shared/rules/machines/versions.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { isSince } from "../../../shared/rules/rollout/current.ts";
import { planSets, ROLLOUT_AFTER } from "../../../shared/rules/rollout/plan-input.ts";

const TYPE = "UpToDate";
const JUDGED_OWNERS: ReadonlySet<string> = new Set([MachineSet.kind, MachinePool.kind]);

/** The fields of a MachineSet that `upToDateCondition` reads. */
export const SET_FIELDS = [
  "metadata.uid",
  "metadata.ownerReferences",
  `metadata.annotations[${ROLLOUT_AFTER}]`,
  "spec.template.spec",
] as const;
/** The fields of a MachineDeployment that `upToDateCondition` reads. */
export const DEPLOYMENT_FIELDS = ["metadata.uid", "spec.template.spec", "spec.rollout.after"] as const;

/** The owners that decide about the spec of a Machine. */
export interface Rollout {
  readonly set: MachineSet;
  readonly deployment?: MachineDeployment | undefined;
}

interface Inputs {
  readonly rollout: Rollout | undefined;
  readonly providers: MachineProviders;
  readonly updating: DesiredCondition;
  readonly kubeletVersion: string | undefined;
  readonly now: Date;
}

/**
 * Whether `machine-status` says whether a Machine is up to date: control planes say it of theirs.
 * Differs: Cluster API leaves it out for a Machine of its own and for that of a set without MachineDeployment, which
 * clusterctl then counts as outdated and their Cluster as unknown. Here it compares such a one with the template.
 */
export function isJudgedHere(machine: Machine): boolean {
  const controller = machine.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller === undefined) return !isControlPlaneMachine(machine);
  return groupOf(controller.apiVersion) === MachineSet.group && JUDGED_OWNERS.has(controller.kind);
}

/**
 * Returns `UpToDate`: first match. A Machine of its own is as it was wanted; so is one of a pool until it is deleted,
 * since a rollout is the business of the pool's provider.
 */
export function upToDateCondition(machine: Machine, inputs: Inputs): DesiredCondition {
  const { rollout, updating, now } = inputs;
  if (isDeleting(machine) && isOfPool(machine)) {
    return condition(TYPE, "False", "NotUpToDate", "Machine is being deleted");
  }
  const outdated = rollout === undefined ? [] : outdatedLines(machine, rollout, inputs.providers, now);
  if (outdated.length > 0) return condition(TYPE, "False", "NotUpToDate", outdated.join("\n"));
  if (updating.status === "True") return inPlace(updating);
  const line = rollout?.deployment === undefined ? undefined : kubeletLine(machine, inputs.kubeletVersion);
  return line === undefined
    ? condition(TYPE, "True", "UpToDate")
    : condition(TYPE, "False", "Updating", line);
}

function isOfPool({ metadata }: Machine): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => controller === true && kind === MachinePool.kind,
  );
}

function outdatedLines(
  machine: Machine,
  { set, deployment }: Rollout,
  providers: MachineProviders,
  now: Date,
): readonly string[] {
  const present = set.spec.template.spec;
  return deployment === undefined
    ? unlikeTemplate(machine, present, providers)
    : [...differences(present, deployment.spec.template.spec), ...rolloutLines(set, deployment, now)];
}

/** Returns nothing until the kubelet reports. Cluster API's controllers, which look here, too, judge the same. */
function kubeletLine({ spec }: Machine, kubeletVersion: string | undefined): string | undefined {
  if (!kubeletVersion || spec.version === undefined) return undefined;
  const wanted = prefixedVersion(spec.version);
  return kubeletVersion === wanted
    ? undefined
    : `* Node.status.nodeInfo.kubeletVersion ${kubeletVersion}, ${wanted} required`;
}

function inPlace({ message }: DesiredCondition): DesiredCondition {
  return condition(TYPE, "False", "Updating", `* ${message || "In-place update in progress"}`);
}

/** Returns when `spec.rollout.after` of the MachineDeployment comes; `undefined`: it is past or absent. */
export function rolloutInMs({ deployment }: Rollout, now: Date): number | undefined {
  const inMs = Date.parse(deployment?.spec?.rollout?.after ?? "") - now.getTime();
  return inMs > 0 ? inMs : undefined;
}

function rolloutLines(set: MachineSet, { spec }: MachineDeployment, now: Date): readonly string[] {
  const after = Date.parse(spec.rollout?.after ?? "");
  const isCurrent = planSets([set]).some((planned) => isSince(planned, after));
  return after <= now.getTime() && !isCurrent ? ["* MachineDeployment spec.rolloutAfter expired"] : [];
}

type Template = MachineSet["spec"]["template"]["spec"];

/** The spec of the set, of which the Machine is made, beside that of the deployment; in upstream's words. */
function differences(present: Template, wanted: Template): readonly string[] {
  return [
    ...versionLines(present.version, wanted.version),
    ...(sameJson(present.bootstrap, wanted.bootstrap)
      ? []
      : bootstrapLines(present.bootstrap, wanted.bootstrap)),
    ...(sameJson(present.infrastructureRef, wanted.infrastructureRef)
      ? []
      : [notUpToDate(present.infrastructureRef)]),
    ...required("Failure domain", present.failureDomain, wanted.failureDomain),
  ];
}

/**
 * The Machine beside the template of its set, which replaces none. An object that was not cloned from a template says
 * nothing, and neither does a failure domain that the template leaves to the provider.
 */
function unlikeTemplate(
  { spec }: Machine,
  { version, bootstrap, infrastructureRef, failureDomain }: Template,
  providers: MachineProviders,
): readonly string[] {
  const isOther = (found: Referenced | undefined, template: ContractReference) =>
    found?.state === "found" && isClone(found.object) && !isClonedFrom(found.object, template);
  const { configRef } = bootstrap;
  const isSame =
    configRef === undefined || spec.bootstrap.configRef === undefined
      ? configRef === spec.bootstrap.configRef && bootstrap.dataSecretName === spec.bootstrap.dataSecretName
      : !isOther(providers.bootstrap, configRef);
  return [
    ...versionLines(spec.version, version),
    ...(isSame ? [] : bootstrapLines(spec.bootstrap, bootstrap)),
    ...(isOther(providers.infrastructure, infrastructureRef) ? [notUpToDate(spec.infrastructureRef)] : []),
    ...(failureDomain === undefined ? [] : required("Failure domain", spec.failureDomain, failureDomain)),
  ];
}

function versionLines(present: string | undefined, wanted: string | undefined): readonly string[] {
  const [from, to] = [present, wanted].map((text) => text && prefixedVersion(text));
  return required("Version", from, to);
}

type Bootstrap = Template["bootstrap"];

function bootstrapLines(present: Bootstrap, wanted: Bootstrap | undefined): readonly string[] {
  if (present.configRef !== undefined) return [notUpToDate(present.configRef)];
  const [from = "nil", to = "nil"] = [present.dataSecretName, wanted?.dataSecretName];
  return [`* spec.bootstrap.dataSecretName ${from}, ${to} required`];
}

/** Names the kind that the Machine has, not the one that it should have. */
function notUpToDate({ kind }: { readonly kind: string }): string {
  return `* ${kindOfClones(kind)} is not up-to-date`;
}

function required(what: string, present = "", wanted = ""): readonly string[] {
  return present === wanted ? [] : [`* ${what} ${present}, ${wanted} required`];
}
