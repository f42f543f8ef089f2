import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT, objectKeyOf, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { Decision, NewObject, StepContext } from "../../../../../shared/function/define-function.ts";
import { hasFinalizer, pausedBy } from "../../../../../shared/function/guards.ts";
import { done, failed, type Result, waitFor } from "../../../../../shared/function/result.ts";
import {
  condition,
  type DesiredCondition,
  setConditions,
} from "../../../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import { prefixedVersion } from "../../../../../shared/rules/machines/versions.ts";
import { readClusterByLabel } from "../../../../../shared/rules/metadata/cluster-label.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import { controllerReference, isOwnedBy } from "../../../../../shared/rules/metadata/owner-references.ts";
import { readOwner } from "../../../../../shared/rules/metadata/read-owner.ts";
import { CLOUD_FINALIZER, SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { SIM_MACHINE_FINALIZER } from "./fleet.ts";
import { KUBELET_VERSION } from "./instances.ts";

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

/** The fields of the Machine that decide about its instance; those below are read when it is made. */
export const OWN_MACHINE_FIELDS = ["spec.bootstrap.dataSecretName"] as const;
export const OWN_MACHINE_READS = ["spec", `metadata.labels[${CONTROL_PLANE_LABEL}]`] as const;

/** Durations of a SimMachine that names none, seconds. */
const DEFAULT_DELAY_SECONDS = 1;

/** Makes the instance of a Machine of its own, reports it, and takes it down. */
export async function ownMachine(
  object: SimMachine,
  cluster: Cluster | undefined,
  context: StepContext,
  paused: DesiredCondition,
): Promise<SimMachineDecision> {
  const { read, now } = context;
  if (object.metadata.deletionTimestamp !== undefined) return takeDown(object, read.live);
  const machine = await readOwner(Machine, object, read);
  if (machine === undefined) return { result: waitFor("SimMachine.metadata.ownerReferences") };
  // Its own functions take it apart; nothing new is made meanwhile.
  if (machine.metadata.deletionTimestamp !== undefined) return { result: done };
  if (!hasFinalizer(object, SIM_MACHINE_FINALIZER)) {
    return patched(object, addFinalizerPatch(object, SIM_MACHINE_FINALIZER));
  }
  const notReady = (message: string, result: Result): SimMachineDecision => ({
    apply: machineReport(object, [paused, condition("Ready", "False", "NotReady", message)], now),
    result,
  });
  const missing = missingDependency(machine, cluster);
  if (missing !== undefined) return notReady(`Waiting for ${missing}`, waitFor(missing));

  const { name } = object.metadata;
  const instance = await read.get(SimInstance, objectKeyOf(object));
  if (instance === undefined && object.spec.providerID !== undefined) {
    return notReady(`SimInstance ${name} is gone; delete the Machine to get another`, done);
  }
  if (instance === undefined) {
    const waiting = notReady(`SimInstance ${name} does not exist yet`, waitFor("SimInstance.status.phase"));
    return { create: [newInstance(object, machine, now)], ...waiting };
  }
  if (!isOwnedBy(instance, object.metadata.uid)) {
    const message = `SimInstance ${name} belongs to something else; give the Machine another name`;
    return notReady(message, failed("ControlledByAnother", message));
  }
  if (instance.status?.phase !== "Provisioned" && instance.status?.phase !== "Running") {
    return notReady(`SimInstance ${name} is not provisioned yet`, waitFor("SimInstance.status.phase"));
  }
  const { providerID } = instance.spec;
  if (object.spec.providerID !== providerID) {
    // Spec before status: the write raises the generation that the conditions name.
    return patched(object, [{ op: "add", path: "/spec/providerID", value: providerID }]);
  }
  const ready = condition("Ready", "True", "Ready");
  return { apply: machineReport(object, [paused, ready], now, instance), result: done };
}

function missingDependency(machine: Machine, cluster: Cluster | undefined): string | undefined {
  if (cluster?.status?.initialization?.infrastructureProvisioned !== true) {
    return "Cluster.status.initialization.infrastructureProvisioned";
  }
  // The empty string is a value: no bootstrap data wanted.
  return machine.spec.bootstrap.dataSecretName === undefined
    ? "Machine.spec.bootstrap.dataSecretName"
    : undefined;
}

function newInstance(object: SimMachine, machine: Machine, now: Date): NewObject {
  const { name, namespace = "" } = object.metadata;
  const { bootDelaySeconds, apiServerDelaySeconds, nodeDelaySeconds, nodeReadyDelaySeconds } = object.spec;
  const { clusterName, failureDomain, version = KUBELET_VERSION } = machine.spec;
  const controlPlane = isControlPlaneMachine(machine);
  const instance: SimInstance = {
    apiVersion: apiVersionOf(SimInstance),
    kind: SimInstance.kind,
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: clusterName },
      finalizers: [CLOUD_FINALIZER],
      ownerReferences: [controllerReference(SimMachine, object)],
    },
    spec: {
      clusterName,
      // A new instance of an old name is another machine.
      providerID: `sim://${namespace}/${name}/${now.getTime().toString(36)}`,
      bootDelaySeconds: bootDelaySeconds ?? DEFAULT_DELAY_SECONDS,
      nodeDelaySeconds: nodeDelaySeconds ?? DEFAULT_DELAY_SECONDS,
      nodeReadyDelaySeconds: nodeReadyDelaySeconds ?? DEFAULT_DELAY_SECONDS,
      ...(controlPlane
        ? { controlPlane, apiServerDelaySeconds: apiServerDelaySeconds ?? DEFAULT_DELAY_SECONDS }
        : {}),
      ...(failureDomain === undefined ? {} : { failureDomain }),
      kubeletVersion: prefixedVersion(version),
    },
  };
  return { cluster: MANAGEMENT, kind: SimInstance, object: instance };
}

/** The instance first; with it go its Node, the Pods there, and its API server. */
async function takeDown(object: SimMachine, live: StepContext["read"]["live"]): Promise<SimMachineDecision> {
  if (!hasFinalizer(object, SIM_MACHINE_FINALIZER)) return { result: done };
  const pause = pausedBy(await readClusterByLabel(live, object), object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const instance = await live.get(SimInstance, objectKeyOf(object));
  if (instance === undefined || !isOwnedBy(instance, object.metadata.uid)) {
    return patched(object, removeFinalizerPatch(object, SIM_MACHINE_FINALIZER));
  }
  const due = instance.metadata.deletionTimestamp === undefined;
  return {
    delete: due ? [{ target: refTo(SimInstance, instance) }] : [],
    result: waitFor("SimInstance deleted"),
  };
}

function patched(
  object: SimMachine,
  operations: NonNullable<SimMachineDecision["patch"]>[number]["operations"],
): SimMachineDecision {
  return { patch: [{ target: refTo(SimMachine, object), operations }], result: done };
}
