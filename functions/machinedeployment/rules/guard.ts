import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { DEFAULT_STRATEGY, type MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { FINALIZERS, isDeleting, isPaused } from "../../../shared/function/guards.ts";
import { FILLED_FIELDS, filledLabelsPatch } from "../../../shared/rules/machines/machine-labels.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import { absentDefaultPatch } from "../../../shared/rules/metadata/absent-default.ts";
import { addFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { ownLabel } from "../../../shared/rules/rollout/problems.ts";

export const DEPLOYMENT_FINALIZER = "cluster.x-k8s.io/machinedeployment";

/** The fields of which admission would have written defaults. */
const DEFAULTED_FIELDS = ["spec.replicas", "spec.rollout", ...FILLED_FIELDS] as const;
/** The fields of a deployment that `deploymentGuardPatch` writes. */
export const GUARDED_FIELDS = [FINALIZERS, ...ADOPTED_FIELDS, ...DEFAULTED_FIELDS] as const;

/**
 * Returns the missing parts of the deployment itself: finalizer, cluster label (on itself, its selector and its template),
 * Cluster owner reference, absent defaults. A paused one gets the finalizer only, a deleted one no finalizer and no
 * defaults, a deleted and paused one nothing.
 */
export function deploymentGuardPatch(
  deployment: MachineDeployment,
  cluster: Cluster,
): readonly PatchOperation[] {
  const finalizer = isDeleting(deployment) ? [] : addFinalizerPatch(deployment, DEPLOYMENT_FINALIZER);
  if (isPaused(cluster, deployment)) return finalizer;
  return [
    ...finalizer,
    ...labelPatch(deployment, CLUSTER_NAME_LABEL, deployment.spec.clusterName),
    ...ownerReferencePatch(deployment, ownerReference(Cluster, cluster)),
    ...(isDeleting(deployment) ? [] : defaultsPatch(deployment)),
  ];
}

/** Admission sets these where it runs, so that they are never absent there. */
function defaultsPatch(deployment: MachineDeployment): readonly PatchOperation[] {
  const { spec } = deployment;
  const replicas = spec.replicas === undefined ? defaultReplicas(deployment) : undefined;
  return [
    ...filledLabelsPatch(spec, ownLabel(deployment)),
    ...(replicas === undefined ? [] : [{ op: "add", path: "/spec/replicas", value: replicas } as const]),
    ...rolloutPatch(spec.rollout),
  ];
}

function rolloutPatch(rollout: MachineDeployment["spec"]["rollout"]): readonly PatchOperation[] {
  if (rollout === undefined)
    return [{ op: "add", path: "/spec/rollout", value: { strategy: DEFAULT_STRATEGY } }];
  const path = "/spec/rollout/strategy";
  const { strategy } = rollout;
  if (strategy === undefined) return [{ op: "add", path, value: DEFAULT_STRATEGY }];
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return [];
  const limits = `${path}/rollingUpdate`;
  return rollingUpdate === undefined
    ? [{ op: "add", path: limits, value: DEFAULT_STRATEGY.rollingUpdate }]
    : (["maxSurge", "maxUnavailable"] as const).flatMap((member) =>
        absentDefaultPatch<typeof member, number | string>({
          ...{ path: limits, parent: rollingUpdate, member },
          value: DEFAULT_STRATEGY.rollingUpdate[member],
        }),
      );
}
