import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT, type OwnerReference } from "../../../shared/api/kinds.ts";
import { SimServer } from "../../../shared/api/sim/sim-cloud.ts";
import type { NewObject } from "../../../shared/function/define-function.ts";

/** Returns the workload API server of a Cluster, which has the name of the Cluster. */
export function newServer(
  owner: OwnerReference,
  { metadata: { namespace, name } }: Cluster,
  { port, onMachines }: { readonly port?: number | undefined; readonly onMachines: boolean },
): NewObject {
  const server: SimServer = {
    apiVersion: apiVersionOf(SimServer),
    kind: SimServer.kind,
    metadata: { name, namespace, labels: { [CLUSTER_NAME_LABEL]: name }, ownerReferences: [owner] },
    spec: {
      clusterName: name,
      ...(port === undefined ? {} : { port }),
      ...(onMachines ? { onMachines } : {}),
    },
  };
  return { cluster: MANAGEMENT, kind: SimServer, object: server };
}
