import { CLUSTER_NAME_LABEL, Cluster, RemediationPolicy, refTo } from "../../shared/api/entry.ts";
import {
  awake,
  defineFunction,
  done,
  hasCluster,
  itself,
  watch,
} from "../../shared/function/define-function.ts";
import { ADOPTED_FIELDS, labelPatch, ownerReference, ownerReferencePatch } from "../../shared/rules/entry.ts";

export const remediationpolicyGuard = defineFunction(
  {
    name: "remediationpolicy-guard",
    summary:
      "Makes a RemediationPolicy move and go with its Cluster: cluster label, Cluster owner reference.",
    source: "own",
    reconciles: RemediationPolicy,
    when: [hasCluster, awake],
    settles: true,
    watches: [watch(RemediationPolicy, ADOPTED_FIELDS, itself)],
    ownsOn: [{ kind: RemediationPolicy, fields: ADOPTED_FIELDS }],
  },
  async (policy, { cluster }) => {
    const operations = [
      ...labelPatch(policy, CLUSTER_NAME_LABEL, policy.spec.clusterName),
      ...ownerReferencePatch(policy, ownerReference(Cluster, cluster)),
    ];
    return { patch: [{ target: refTo(RemediationPolicy, policy), operations }], result: done };
  },
);
