import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import type { Node } from "../../../shared/api/core.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { infraMachinePath } from "../../../shared/contract/infra-machine.ts";
import type { Found } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  mirrorDeprecatedCondition,
  summarizedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { ownObject } from "./adoption.ts";
import { type DrainPart, leftMs, startOf } from "./drain-timers.ts";
import { isWordOfDrain } from "./drain-turn.ts";
import { claimedTwice } from "./node-report.ts";
import type { MachineView } from "./view.ts";

type Statement = DesiredDeprecatedCondition | undefined;

/**
 * The list `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. Health checks, owners and
 * providers have entries in it too, which stay as they are, like those for which no rule holds.
 */
export function machineDeprecatedConditions(view: MachineView): readonly DeprecatedCondition[] {
  const { machine, now } = view;
  const stored = machine.status?.deprecated?.v1beta1?.conditions;
  const ofProviders = ["InfrastructureReady", "BootstrapReady"];
  const others = ["HealthCheckSucceeded", "OwnerRemediated", "DrainingSucceeded"];
  const isComing = machine.spec.providerID === undefined && !isDeleting(machine);
  const counts = isComing && !stored?.some(({ type }) => others.includes(type));
  return summarizedConditions(
    stored,
    [bootstrapReady(view), infrastructureReady(view), nodeHealthy(view), ...stagesOf(view)],
    { types: [...ofProviders, ...others], steps: counts ? ofProviders.length : undefined },
    now,
  );
}

function bootstrapReady({ machine, providers, bootstrap }: MachineView): Statement {
  const { configRef, dataSecretName } = machine.spec.bootstrap;
  if (configRef === undefined || providers.bootstrap === undefined) return undefined;
  if (providers.bootstrap.state === "missing") return goneFrom("BootstrapReady", isDeleting(machine));
  const own = ownObject(machine, providers.bootstrap);
  if (own === undefined) return undefined;
  if ((dataSecretName ?? "") !== "") return deprecatedCondition("BootstrapReady", "True");
  const reason = isDeleting(machine) ? "Deleting" : "WaitingForDataSecret";
  return mirrored("BootstrapReady", own, bootstrap.created === true, reason);
}

function infrastructureReady({ machine, providers: { infrastructure } }: MachineView): Statement {
  if (infrastructure.state === "missing") return goneFrom("InfrastructureReady", isDeleting(machine));
  const own = ownObject(machine, infrastructure);
  if (own === undefined) return undefined;
  const { value } = readBoolean(own.object, infraMachinePath(own.contract, "provisioned"));
  const reason = isDeleting(machine) ? "Deleting" : "WaitingForInfrastructure";
  return mirrored("InfrastructureReady", own, value === true, reason);
}

/** Judges an object that is gone; where the Machine stays, it changes nothing, as upstream. */
function goneFrom(type: string, isGoing: boolean): Statement {
  return isGoing ? info(type, "Deleted") : undefined;
}

function mirrored(type: string, { object }: Found, flag: boolean, reason: string): Statement {
  return (
    mirrorDeprecatedCondition(object, type) ?? (flag ? deprecatedCondition(type, "True") : info(type, reason))
  );
}

/**
 * Returns `NodeHealthy`: what keeps the Node from being seen, then what it reports.
 * Differs: a connection that is down makes it Unknown; upstream leaves what it said last.
 */
function nodeHealthy(view: MachineView): Statement {
  const { machine, nodes, nodeReport, providers } = view;
  const type = "NodeHealthy";
  if (machine.spec.providerID === undefined) return info(type, "WaitingForNodeRef");
  const inspectionFailed = (message: string) =>
    deprecatedCondition(type, "Unknown", { reason: "NodeInspectionFailed", message });
  if (nodes === undefined) {
    const { reason, message = "" } = nodeReport.conditions.find((said) => said.type === type) ?? {};
    return reason === "ConnectionDown" ? inspectionFailed(message) : undefined;
  }
  const twice = claimedTwice(view);
  if (twice !== undefined) return inspectionFailed(twice);
  if (nodeReport.node === undefined) return withoutNode(view);
  const { infrastructure } = providers;
  const isGoing = infrastructure.state === "found" && isDeleting(infrastructure.object);
  if (infrastructure.state === "missing" || isGoing) return info(type, "Deleting");
  return reportedBy(nodeReport.node);
}

function withoutNode({ machine }: MachineView): Statement {
  if (isDeleting(machine)) return undefined;
  return machine.status?.nodeRef === undefined
    ? deprecatedCondition("NodeHealthy", "False", {
        severity: "Warning",
        reason: "NodeProvisioning",
        message: "Waiting for a node with matching ProviderID to exist",
      })
    : deprecatedCondition("NodeHealthy", "False", { severity: "Error", reason: "NodeNotFound" });
}

/** Good as each is; what is Unknown counts only where all four are. */
const GOOD = new Map([
  ["Ready", "True"],
  ["MemoryPressure", "False"],
  ["DiskPressure", "False"],
  ["PIDPressure", "False"],
]);

function reportedBy({ status }: Node): Statement {
  const bad = (status?.conditions ?? []).filter(
    (reported) => GOOD.has(reported.type) && reported.status !== GOOD.get(reported.type),
  );
  const unknown = bad.filter((reported) => reported.status === "Unknown");
  const reason = "NodeConditionsFailed";
  const message = bad.map((reported) => `Node condition ${reported.type} is ${reported.status}`).join(". ");
  if (bad.length > unknown.length) {
    return deprecatedCondition("NodeHealthy", "False", { severity: "Warning", reason, message });
  }
  return unknown.length < GOOD.size
    ? deprecatedCondition("NodeHealthy", "True")
    : deprecatedCondition("NodeHealthy", "Unknown", { reason, message });
}

/** The stages of a deletion that has come to them. */
function stagesOf(view: MachineView): readonly Statement[] {
  const { machine, stage } = view;
  if (stage === undefined || stage.step === "unreadable") return [];
  const { waitForPreDrainHookStartTime } = machine.status?.deletion ?? {};
  const isHeld = stage.step === "pre-drain hooks";
  const isHandled =
    stage.step === "drain" || (waitForPreDrainHookStartTime ?? startOf(machine, "drain")) !== undefined;
  return [
    isHeld || isHandled ? hooks("PreDrainDeleteHookSucceeded", isHeld) : undefined,
    partOfDrain(view, "drain"),
    partOfDrain(view, "volumes"),
    isHeld || stage.step === "drain"
      ? undefined
      : hooks("PreTerminateDeleteHookSucceeded", stage.step === "pre-terminate hooks"),
  ];
}

function hooks(type: string, isHeld: boolean): Statement {
  return isHeld ? info(type, "WaitingExternalHook") : deprecatedCondition(type, "True");
}

const PARTS = {
  drain: {
    word: "DrainingNode",
    lasts: info("DrainingSucceeded", "Draining", "Draining the node before deletion"),
  },
  volumes: {
    word: "WaitingForVolumeDetach",
    lasts: info("VolumeDetachSucceeded", "WaitingForVolumeDetach", "Waiting for node volumes to be detached"),
  },
} as const satisfies { readonly [part in DrainPart]: object };

/**
 * Differs: which Pods and volumes are waited for is said by the condition `Deleting` alone, which the drain writes; and
 * what ended before it was done, as by its timeout, says so as a warning, which stays.
 */
function partOfDrain({ machine, stage, now }: MachineView, part: DrainPart): Statement {
  const { word, lasts } = PARTS[part];
  const { conditions, deprecated } = machine.status ?? {};
  if (startOf(machine, part) === undefined || stage?.step === "pre-drain hooks") return undefined;
  const isDrain = stage?.step === "drain";
  if (isDrain && conditionOf(conditions, "Deleting")?.reason === word) return lasts;
  const stored = conditionOf(deprecated?.v1beta1?.conditions, lasts.type);
  if (stored?.status === "True" || stored?.severity === "Warning") return undefined;
  const isEarly = leftMs(machine, part, now) === 0 || (!isDrain && isWordOfDrain(machine));
  return isEarly ? { ...lasts, severity: "Warning" } : deprecatedCondition(lasts.type, "True");
}

function info(type: string, reason: string, message?: string): DesiredDeprecatedCondition {
  return deprecatedCondition(type, "False", { severity: "Info", reason, message });
}
