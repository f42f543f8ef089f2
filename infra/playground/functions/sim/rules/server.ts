import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT, type OwnerReference } from "../../../../../shared/api/kinds.ts";
import type { NewObject } from "../../../../../shared/function/define-function.ts";
import { CLOUD_FINALIZER, SimServer } from "../../../api/sim-cloud.ts";

/** The fields of a SimServer that say where it listens. */
export const ADDRESS_FIELDS = ["status.host", "status.port"] as const;

/** The field under which a provider publishes that address. */
export const ENDPOINT_FIELDS = ["spec.controlPlaneEndpoint"] as const;

/** Choices of the one who orders a server. */
interface ServerChoice {
  readonly port?: number | undefined;
  readonly onMachines: boolean;
  readonly now: Date;
}

/**
 * Returns the workload API server of a Cluster, which has the name of the Cluster. Its identity is in the spec, where a
 * move carries it: `sim://<namespace>/<name>/<base 36 of now in ms>`, for a new server of an old name is another one.
 */
export function newServer(
  owner: OwnerReference,
  { metadata: { namespace = "", name } }: Cluster,
  { port, onMachines, now }: ServerChoice,
): NewObject {
  const server: SimServer = {
    apiVersion: apiVersionOf(SimServer),
    kind: SimServer.kind,
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: name },
      finalizers: [CLOUD_FINALIZER],
      ownerReferences: [owner],
    },
    spec: {
      clusterName: name,
      serverID: `sim://${namespace}/${name}/${now.getTime().toString(36)}`,
      ...(port === undefined ? {} : { port }),
      ...(onMachines ? { onMachines } : {}),
    },
  };
  return { cluster: MANAGEMENT, kind: SimServer, object: server };
}
