import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";

/** Value that admission writes for an absent startup timeout. */
const STARTUP_TIMEOUT_SECONDS = 600;

/** The fields of a health check that `healthCheckGuardPatch` writes. */
export const GUARDED_FIELDS = [...ADOPTED_FIELDS, "spec.checks.nodeStartupTimeoutSeconds"] as const;

/**
 * Returns the missing parts of a health check itself: cluster label, Cluster owner reference, absent startup timeout.
 * It needs no finalizer: nothing has to be taken apart when it goes. Source: MHC-5.2
 */
export function healthCheckGuardPatch(
  check: MachineHealthCheck,
  cluster: Cluster,
): readonly PatchOperation[] {
  return [
    ...labelPatch(check, CLUSTER_NAME_LABEL, check.spec.clusterName),
    ...ownerReferencePatch(check, ownerReference(Cluster, cluster)),
    ...startupTimeoutPatch(check),
  ];
}

/** Admission sets it where it runs, so that it is never absent there. */
function startupTimeoutPatch({ spec: { checks } }: MachineHealthCheck): readonly PatchOperation[] {
  if (checks === undefined) {
    return [
      { op: "add", path: "/spec/checks", value: { nodeStartupTimeoutSeconds: STARTUP_TIMEOUT_SECONDS } },
    ];
  }
  return checks.nodeStartupTimeoutSeconds === undefined
    ? [{ op: "add", path: "/spec/checks/nodeStartupTimeoutSeconds", value: STARTUP_TIMEOUT_SECONDS }]
    : [];
}
