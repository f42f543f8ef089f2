import type { Cluster } from "../../api/cluster/cluster.ts";
import type { Referenced } from "../../contract/referenced.ts";
import type { Reader } from "../../function/reads.ts";

/**
 * Returns the control plane object of a Cluster, from snapshots or, given `read.live`, from the API server; `undefined`:
 * the Cluster references none.
 */
export async function readControlPlane(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Cluster,
): Promise<Referenced | undefined> {
  return spec.controlPlaneRef === undefined
    ? undefined
    : read.referenced(spec.controlPlaneRef, metadata.namespace ?? "");
}
