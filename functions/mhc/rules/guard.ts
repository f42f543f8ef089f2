import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { type MachineHealthCheck, STARTUP_TIMEOUT_SECONDS } from "../../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { absentDefaultPatch } from "../../../shared/rules/metadata/absent-default.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";

/** The fields of a health check that decide what `healthCheckGuardPatch` writes. */
export const CHECKED_FIELDS = ["spec.checks", "spec.clusterName"] as const;
/** The fields of a health check that `healthCheckGuardPatch` writes. */
export const GUARDED_FIELDS = [...ADOPTED_FIELDS, "spec.checks.nodeStartupTimeoutSeconds"] as const;

/**
 * Returns the missing parts of a health check itself: cluster label, Cluster owner reference, absent startup timeout.
 * It needs no finalizer: nothing has to be taken apart when it goes.
 */
export function healthCheckGuardPatch(
  check: MachineHealthCheck,
  cluster: Cluster,
): readonly PatchOperation[] {
  return [
    ...labelPatch(check, CLUSTER_NAME_LABEL, check.spec.clusterName),
    ...ownerReferencePatch(check, ownerReference(Cluster, cluster)),
    ...absentDefaultPatch({
      path: "/spec/checks",
      parent: check.spec.checks,
      member: "nodeStartupTimeoutSeconds",
      value: STARTUP_TIMEOUT_SECONDS,
    }),
  ];
}
