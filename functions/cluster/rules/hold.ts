import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Guard, waitFor, workable } from "../../../shared/function/define-function.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { CLUSTER_FINALIZER } from "./guard.ts";

/** The topology of a Cluster, if it has one, has named its objects. */
const isNamed: Guard<Cluster> = {
  fields: ["spec.infrastructureRef", "spec.controlPlaneRef", "spec.topology"],
  refuses: (cluster) => (awaitsTopology(cluster) ? waitFor("Cluster.spec.infrastructureRef") : undefined),
};

/** The guards of `adopt`, `sync` and `kubeconfig`. */
export const WORKABLE_CLUSTER = [...workable(CLUSTER_FINALIZER, { isIdle: false }), isNamed] as const;
