import { Cluster } from "../../api/cluster/cluster.ts";
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
