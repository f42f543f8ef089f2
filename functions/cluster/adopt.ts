import { Cluster } from "../../shared/api/entry.ts";
import { ControlPlane, InfraCluster } from "../../shared/contract/entry.ts";
import { defineFunction, watchReferenced } from "../../shared/function/define-function.ts";
import { ADOPTED_FIELDS, adopt } from "../../shared/rules/entry.ts";
import { clusterClaim } from "./rules/adoption.ts";
import { WORKABLE_CLUSTER } from "./rules/hold.ts";
import { providersOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

export const clusterAdopt = defineFunction(
  {
    name: "cluster-adopt",
    summary: "Makes the Cluster an owner of its infrastructure and control plane object.",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    actsOn: "living",
    when: WORKABLE_CLUSTER,
    settles: true,
    watches: [watchReferenced([InfraCluster, ADOPTED_FIELDS], [ControlPlane, ADOPTED_FIELDS])],
    ownsOn: [
      { kind: InfraCluster, fields: ADOPTED_FIELDS },
      { kind: ControlPlane, fields: ADOPTED_FIELDS },
    ],
    blocks: [Cluster],
  },
  async (cluster, { read, live }) => {
    const providers = providersOf(cluster, await readProviders(read, cluster));
    return adopt({ object: cluster, live, claim: clusterClaim(cluster) }, providers);
  },
);
