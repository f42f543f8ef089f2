import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { refusedBy, workable } from "../../../../../shared/function/guards.ts";
import type { Reader } from "../../../../../shared/function/reads.ts";
import { type Result, waitFor } from "../../../../../shared/function/result.ts";
import { readOwner } from "../../../../../shared/rules/metadata/read-owner.ts";
import { type AnyControlPlane, hasEndpoint } from "./control-plane-view.ts";

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
