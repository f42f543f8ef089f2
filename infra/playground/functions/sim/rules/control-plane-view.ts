import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import {
  type ContractReference,
  groupOf,
  type Kind,
  type KubeObject,
} from "../../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import { toSeconds } from "../../../../../shared/api/older/duration.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { messageOf } from "../../../../../shared/function/errors.ts";
import { refusedBy, workable } from "../../../../../shared/function/guards.ts";
import type { Reader } from "../../../../../shared/function/reads.ts";
import { type Result, waitFor } from "../../../../../shared/function/result.ts";
import type { TemplateMetadata } from "../../../../../shared/rules/machines/template-keys.ts";
import { prefixedVersion } from "../../../../../shared/rules/machines/versions.ts";
import { readOwner } from "../../../../../shared/rules/metadata/read-owner.ts";
import { SimControlPlane } from "../../../api/sim-controlplane.ts";
import { SimControlPlaneLegacy } from "../../../api/sim-controlplane-legacy.ts";

/** Annotations by which a test makes a simulated control plane misbehave. */
const FAULT = {
  /** Seconds from its creation until it reports that it is initialized. */
  initializedAfter: "fault.sim.capstan.dev/initialized-after-seconds",
  /** It reports that it is not initialized, whatever it has reported before. */
  uninitialized: "fault.sim.capstan.dev/uninitialized",
  failureReason: "fault.sim.capstan.dev/failure-reason",
  failureMessage: "fault.sim.capstan.dev/failure-message",
  /** Its API server breaks every connection. */
  unreachable: "fault.sim.capstan.dev/unreachable",
  /** The kubeconfig Secret is spoilt once; it is recreated when a user deletes it. */
  corruptKubeconfig: "fault.sim.capstan.dev/corrupt-kubeconfig",
  /** Its condition Available has a status that no contract knows. */
  invalidAvailable: "fault.sim.capstan.dev/invalid-available",
} as const;

/** The fields of a control plane that `faultsOf` reads. */
export const FAULT_FIELDS = [
  "metadata.creationTimestamp",
  `metadata.annotations[${FAULT.initializedAfter}]`,
  `metadata.annotations[${FAULT.uninitialized}]`,
  `metadata.annotations[${FAULT.failureReason}]`,
  `metadata.annotations[${FAULT.failureMessage}]`,
  `metadata.annotations[${FAULT.unreachable}]`,
  `metadata.annotations[${FAULT.corruptKubeconfig}]`,
  `metadata.annotations[${FAULT.invalidAvailable}]`,
] as const;

interface Faults {
  /** The time until it may report that it is initialized, ms; 0: now. */
  readonly initializedInMs: number;
  readonly uninitialized: boolean;
  readonly failureReason: string | undefined;
  readonly failureMessage: string | undefined;
  readonly unreachable: boolean;
  readonly corruptKubeconfig: boolean;
  readonly invalidAvailable: boolean;
}

/** Reads the faults that are switched on; a delay that is not a number counts as none. */
export function faultsOf({ metadata }: KubeObject, now: Date): Faults {
  const { annotations = {}, creationTimestamp = "" } = metadata;
  const isOn = (name: string) => Object.hasOwn(annotations, name);
  const { [FAULT.initializedAfter]: delaySeconds = "0" } = annotations;
  const until = Date.parse(creationTimestamp) + Number(delaySeconds) * SECOND;
  return {
    initializedInMs: Number.isNaN(until) ? 0 : Math.max(0, until - now.getTime()),
    uninitialized: isOn(FAULT.uninitialized),
    failureReason: annotations[FAULT.failureReason],
    failureMessage: annotations[FAULT.failureMessage],
    unreachable: isOn(FAULT.unreachable),
    corruptKubeconfig: isOn(FAULT.corruptKubeconfig),
    invalidAvailable: isOn(FAULT.invalidAvailable),
  };
}

/** A simulated control plane of either contract. */
export type AnyControlPlane = SimControlPlane | SimControlPlaneLegacy;

/** Template of the Machines of a control plane, in the fields of the newer contract. */
export interface MachineTemplate {
  readonly metadata: TemplateMetadata;
  /** References name templates. */
  readonly spec: Omit<Machine["spec"], "clusterName" | "version" | "failureDomain">;
}

export function isLegacy(object: AnyControlPlane): object is SimControlPlaneLegacy {
  return object.kind === SimControlPlaneLegacy.kind;
}

export function kindOfControlPlane(object: KubeObject): Kind {
  const kind = object.kind === SimControlPlaneLegacy.kind ? SimControlPlaneLegacy : SimControlPlane;
  return kind as unknown as Kind;
}

export function isInitialized(object: AnyControlPlane): boolean {
  const flag = isLegacy(object)
    ? object.status?.initialized
    : object.status?.initialization?.controlPlaneInitialized;
  return flag === true;
}

/** The wanted version as a kubelet reports it; `undefined` when the control plane names none. */
export function wantedVersion({ spec }: AnyControlPlane): string | undefined {
  return spec.version === undefined ? undefined : prefixedVersion(spec.version);
}

/**
 * Returns the template of the Machines, or the problem of one that admission did not see; `undefined` for an external
 * control plane.
 */
export function machineTemplateOf(
  object: AnyControlPlane,
): MachineTemplate | { readonly problem: string } | undefined {
  const { machineTemplate } = object.spec;
  if (machineTemplate === undefined) return undefined;
  const { labels = {}, annotations = {} } = machineTemplate.metadata ?? {};
  const metadata = { labels, annotations };
  if (!isLegacy(object)) {
    return object.spec.machineTemplate === undefined
      ? undefined
      : { metadata, spec: object.spec.machineTemplate.spec };
  }
  try {
    return object.spec.machineTemplate === undefined
      ? undefined
      : { metadata, spec: legacySpec(object.spec.machineTemplate, object.metadata.namespace ?? "") };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The same fields under the names of the contract v1beta2. Throws Error for what they cannot express. */
function legacySpec(
  template: NonNullable<SimControlPlaneLegacy["spec"]["machineTemplate"]>,
  namespace: string,
): MachineTemplate["spec"] {
  const { infrastructureRef, bootstrapRef, readinessGates, taints } = template;
  type LegacyReference = typeof infrastructureRef | typeof bootstrapRef;
  const referenceOf = (field: string, reference: LegacyReference): ContractReference => {
    const { apiVersion, kind, name, namespace: elsewhere = namespace } = reference;
    if (elsewhere === namespace) return { apiGroup: groupOf(apiVersion), kind, name };
    throw new Error(
      `spec.machineTemplate.${field}.namespace: "${elsewhere}" is not the object's own (${namespace})`,
    );
  };
  const timeouts = {
    nodeDrainTimeoutSeconds: template.nodeDrainTimeout,
    nodeVolumeDetachTimeoutSeconds: template.nodeVolumeDetachTimeout,
    nodeDeletionTimeoutSeconds: template.nodeDeletionTimeout,
  };
  const deletion = Object.fromEntries(
    Object.entries(timeouts)
      .filter(([, duration]) => duration !== undefined)
      .map(([field, duration]) => [field, toSeconds(duration)]),
  );
  return {
    infrastructureRef: referenceOf("infrastructureRef", infrastructureRef),
    bootstrap: { configRef: referenceOf("bootstrapRef", bootstrapRef) },
    ...(readinessGates === undefined ? {} : { readinessGates }),
    ...(taints === undefined ? {} : { taints }),
    ...(Object.keys(deletion).length === 0 ? {} : { deletion }),
  };
}

/** An endpoint counts with host and port. */
export function hasEndpoint({ spec }: Pick<Cluster, "spec"> | AnyControlPlane): boolean {
  const { host = "", port = 0 } = spec.controlPlaneEndpoint ?? {};
  return host !== "" && port !== 0;
}

/** Keeps a simulated control plane until its Machines are gone. */
export const CONTROL_PLANE_FINALIZER = "simcontrolplane.controlplane.sim.capstan.dev";

/** The fields of a Cluster that the gate of a control plane reads. */
export const GATE_FIELDS = [
  "metadata.uid",
  "spec.paused",
  "spec.controlPlaneEndpoint",
  "status.initialization.infrastructureProvisioned",
] as const;

/**
 * Returns the Cluster of a control plane, and what has to happen before Machines are made: it names its owner, nothing is
 * paused or deleted, its finalizer is there, and infrastructure and endpoint of the Cluster are.
 */
export async function controlPlaneHold(
  object: AnyControlPlane,
  read: Reader,
): Promise<{ readonly cluster: Cluster | undefined; readonly wait: Result | undefined }> {
  const cluster = await readOwner(Cluster, object, read);
  if (cluster === undefined) return { cluster, wait: waitFor(`${object.kind}.metadata.ownerReferences`) };
  const held = refusedBy(workable(CONTROL_PLANE_FINALIZER), object, cluster)?.result;
  return { cluster, wait: held ?? missingDependency(object, cluster) };
}

/**
 * Whether a control plane waits for the infrastructure of its Cluster. One without Machines that brings the endpoint
 * needs none, and the infrastructure may wait for this endpoint. Source: IC-22
 */
export function lacksInfrastructure({ spec }: AnyControlPlane, { status }: Pick<Cluster, "status">): boolean {
  if (spec.endpointMode === "provider" && spec.machineTemplate === undefined) return false;
  return status?.initialization?.infrastructureProvisioned !== true;
}

function missingDependency(object: AnyControlPlane, cluster: Cluster): Result | undefined {
  if (lacksInfrastructure(object, cluster)) {
    return waitFor("Cluster.status.initialization.infrastructureProvisioned");
  }
  if (object.spec.endpointMode === "provider") {
    return hasEndpoint(object) ? undefined : waitFor(`${object.kind}.spec.controlPlaneEndpoint`);
  }
  return hasEndpoint(cluster) ? undefined : waitFor("Cluster.spec.controlPlaneEndpoint");
}
