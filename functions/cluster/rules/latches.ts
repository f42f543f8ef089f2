import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { controlPlanePath, controlPlanePaths } from "../../../shared/contract/control-plane.ts";
import { type Field, readBoolean } from "../../../shared/contract/fields.ts";
import { infraClusterPath, infraClusterPaths } from "../../../shared/contract/infra-cluster.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { ownObject } from "./adoption.ts";

/** The fields of an infra object that `isInfrastructureProvisioned` reads. */
export const PROVISIONED_FIELDS = infraClusterPaths("provisioned");
/** The fields of a control plane object that `isControlPlaneInitialized` reads. */
export const INITIALIZED_FIELDS = controlPlanePaths("initialized");

/**
 * The latch `status.initialization.infrastructureProvisioned` as it is from now on: once true it stays, whatever
 * the infra object says. Without reference (and topology) there is nothing to wait for.
 */
export function isInfrastructureProvisioned(
  cluster: Cluster,
  infrastructure: Referenced | undefined,
): boolean {
  if (cluster.status?.initialization?.infrastructureProvisioned === true) return true;
  if (awaitsTopology(cluster)) return false;
  if (cluster.spec.infrastructureRef === undefined) return !isDeleting(cluster);
  const owned = ownObject(cluster, infrastructure);
  return owned !== undefined && !isDeleting(owned.object) && provisionedFlag(owned).value === true;
}

/**
 * The latch `status.initialization.controlPlaneInitialized`. Never set without reference: look at the condition
 * `ControlPlaneInitialized` then.
 */
export function isControlPlaneInitialized(cluster: Cluster, controlPlane: Referenced | undefined): boolean {
  if (cluster.status?.initialization?.controlPlaneInitialized === true) return true;
  if (awaitsTopology(cluster)) return false;
  const owned = ownObject(cluster, controlPlane);
  return owned !== undefined && !isDeleting(owned.object) && initializedFlag(owned).value === true;
}

export function provisionedFlag({ object, contract }: Found): Field<boolean> {
  return readBoolean(object, infraClusterPath(contract, "provisioned"));
}

/** `status.ready` is not consulted, under either contract. */
export function initializedFlag({ object, contract }: Found): Field<boolean> {
  return readBoolean(object, controlPlanePath(contract, "initialized"));
}
