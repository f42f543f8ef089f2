import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isAtRest, PAUSING_FIELDS, REST_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { labelPatch } from "../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../shared/rules/metadata/owner-references.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";

export const remediationpolicyGuard = defineFunction(
  {
    name: "remediationpolicy-guard",
    summary:
      "Makes a RemediationPolicy move and go with its Cluster: cluster label, Cluster owner reference.",
    source: "own",
    reconciles: RemediationPolicy,
    watches: [
      watch(RemediationPolicy, [...REST_FIELDS, ...ADOPTED_FIELDS], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [{ kind: RemediationPolicy, fields: ADOPTED_FIELDS }],
  },
  async (policy, { read }) => {
    const cluster = await readCluster(read, policy);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    if (isAtRest(policy, cluster)) return { result: done };
    const operations = [
      ...labelPatch(policy, CLUSTER_NAME_LABEL, policy.spec.clusterName),
      ...ownerReferencePatch(policy, ownerReference(Cluster, cluster)),
    ];
    return { patch: [{ target: refTo(RemediationPolicy, policy), operations }], result: done };
  },
);
