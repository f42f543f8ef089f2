import { Cluster } from "../../api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../api/indexes.ts";
import type { KubeObject } from "../../api/kinds.ts";
import type { Reader } from "../../function/reads.ts";

/** The field of a provider object that says which Cluster it is of. */
export const CLUSTER_LABEL_FIELDS = [`metadata.labels[${CLUSTER_NAME_LABEL}]`] as const;

/** Returns the Cluster that a provider object names, also when what is between them is gone; sources as above. */
export async function readClusterByLabel(
  read: Pick<Reader, "get">,
  { metadata: { namespace = "", labels } }: KubeObject,
): Promise<Cluster | undefined> {
  const name = labels?.[CLUSTER_NAME_LABEL];
  return name === undefined ? undefined : read.get(Cluster, { namespace, name });
}
