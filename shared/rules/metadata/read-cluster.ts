import { Cluster } from "../../api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../api/kinds.ts";
import type { Reader } from "../../function/reads.ts";

/** An object of a Cluster: a Machine, MachineSet, MachinePool or MachineHealthCheck. */
type Member = KubeObject & { readonly spec: { readonly clusterName: string } };

/** Returns where the Cluster of an object is: in the object's own namespace. */
export function clusterKeyOf({ metadata, spec }: Member): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: spec.clusterName };
}

/** Returns the Cluster of an object, from snapshots or, given `read.live`, from the API server. */
export async function readCluster(read: Pick<Reader, "get">, object: Member): Promise<Cluster | undefined> {
  return read.get(Cluster, clusterKeyOf(object));
}

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
