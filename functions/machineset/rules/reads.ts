import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ObjectKey } from "../../../shared/api/kinds.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Reader } from "../../../shared/function/reads.ts";

/** Where the Cluster of a set is. */
export function clusterKeyOf({ metadata, spec }: MachineSet): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: spec.clusterName };
}

export async function readCluster(
  read: { get: Reader["get"] },
  set: MachineSet,
): Promise<Cluster | undefined> {
  return read.get(Cluster, clusterKeyOf(set));
}

/** The control plane object of a Cluster; `undefined` when it references none. */
export async function readControlPlane(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Cluster,
): Promise<Referenced | undefined> {
  return spec.controlPlaneRef === undefined
    ? undefined
    : read.referenced(spec.controlPlaneRef, metadata.namespace ?? "");
}
