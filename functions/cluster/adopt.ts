import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../shared/contract/infra-cluster.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { adopt } from "../../shared/rules/providers/adopt.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { clusterClaim } from "./rules/adoption.ts";
import { CLUSTER_HOLD_FIELDS, clusterHold } from "./rules/hold.ts";
import { providersOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

export const clusterAdopt = defineFunction<Cluster>(
  {
    name: "cluster-adopt",
    summary: "Makes the Cluster an owner of its infrastructure and control plane object.",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    actsOn: "living",
    watches: [
      watch(Cluster, CLUSTER_HOLD_FIELDS, itself),
      watchContract(InfraCluster, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watchContract(ControlPlane, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: InfraCluster, fields: ADOPTED_FIELDS },
      { kind: ControlPlane, fields: ADOPTED_FIELDS },
    ],
    blocks: [Cluster],
  },
  async (cluster, { read }) => {
    const hold = clusterHold(cluster);
    if (hold !== undefined) return { result: hold };
    const providers = providersOf(cluster, await readProviders(read, cluster));
    return adopt(read.live, { kind: Cluster, object: cluster, claim: clusterClaim(cluster) }, providers);
  },
);
