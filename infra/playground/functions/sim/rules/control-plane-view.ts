import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import {
  type ContractReference,
  groupOf,
  type Kind,
  type KubeObject,
} from "../../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import { toSeconds } from "../../../../../shared/api/older/duration.ts";
import { messageOf } from "../../../../../shared/function/errors.ts";
import type { TemplateMetadata } from "../../../../../shared/rules/machines/template-keys.ts";
import { prefixedVersion } from "../../../../../shared/rules/machines/versions.ts";
import { SimControlPlane } from "../../../api/sim-controlplane.ts";
import { SimControlPlaneLegacy } from "../../../api/sim-controlplane-legacy.ts";

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
