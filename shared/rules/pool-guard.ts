import { parse } from "semver";
import type { Cluster } from "../api/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../api/indexes.ts";
import { apiVersionOf, type OwnerReference } from "../api/kinds.ts";
import type { MachinePool } from "../api/machinepool.ts";
import type { Notice } from "../runtime/define-function.ts";
import type { PatchOperation } from "../runtime/ports.ts";
import { addFinalizerPatch } from "./finalizers.ts";
import { labelPatch } from "./labels.ts";
import { ownerReferencePatch } from "./owner-references.ts";
import { isPaused } from "./paused.ts";
import { POOL_FINALIZER } from "./pool-hold.ts";

const MIN_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
const MAX_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
const COUNT = /^\d{1,9}$/;
const NODE_DELETION_TIMEOUT_SECONDS = 10;

/**
 * What is missing on the pool itself: finalizer, cluster label, Cluster owner reference, absent defaults. A paused
 * pool gets the finalizer only, a deleted one no finalizer and no defaults, a deleted and paused one nothing.
 * Source: machinepool.md 2, 4 and 12
 */
export function poolGuardPatch(pool: MachinePool, cluster: Cluster): readonly PatchOperation[] {
  const deleting = pool.metadata.deletionTimestamp !== undefined;
  const finalizer = deleting ? [] : addFinalizerPatch(pool, POOL_FINALIZER);
  if (isPaused(cluster, pool)) return finalizer;
  return [
    ...finalizer,
    ...labelPatch(pool, CLUSTER_NAME_LABEL, pool.spec.clusterName),
    ...ownerReferencePatch(pool, clusterOwner(cluster)),
    ...(deleting ? [] : defaultsPatch(pool)),
  ];
}

function clusterOwner(cluster: Cluster): OwnerReference {
  const { name, uid = "" } = cluster.metadata;
  return {
    apiVersion: apiVersionOf({ group: "cluster.x-k8s.io", version: "v1beta2" }),
    kind: "Cluster",
    name,
    uid,
  };
}

/** Admission sets these where it runs, so that they are never absent there. */
function defaultsPatch(pool: MachinePool): readonly PatchOperation[] {
  const { replicas, template } = pool.spec;
  const { deletion } = template.spec;
  const size = replicas === undefined ? defaultReplicas(pool) : undefined;
  const path = "/spec/template/spec/deletion";
  return [
    ...(size === undefined ? [] : [{ op: "add", path: "/spec/replicas", value: size } as const]),
    ...(deletion === undefined
      ? [{ op: "add", path, value: { nodeDeletionTimeoutSeconds: NODE_DELETION_TIMEOUT_SECONDS } } as const]
      : []),
    ...(deletion !== undefined && deletion.nodeDeletionTimeoutSeconds === undefined
      ? [
          {
            op: "add",
            path: `${path}/nodeDeletionTimeoutSeconds`,
            value: NODE_DELETION_TIMEOUT_SECONDS,
          } as const,
        ]
      : []),
  ];
}

/** The autoscaler's minimum where both its annotations are there, else 1; `undefined` when they are no counts. */
function defaultReplicas(pool: MachinePool): number | undefined {
  const [min, max] = [MIN_SIZE, MAX_SIZE].map((key) => pool.metadata.annotations?.[key]);
  if (min === undefined || max === undefined) return 1;
  return COUNT.test(min) && COUNT.test(max) ? Number(min) : undefined;
}

/**
 * What admission would have refused, as events. The pool is worked on all the same: a stored object may be older
 * than a rule. Source: machinepool.md 12
 */
export function poolViolations(pool: MachinePool): readonly Notice[] {
  const { clusterName, replicas, template } = pool.spec;
  const { bootstrap, version, taints = [] } = template.spec;
  const checks: readonly (readonly [boolean, string, string])[] = [
    [
      bootstrap.configRef === undefined && bootstrap.dataSecretName === undefined,
      "MissingBootstrap",
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
    ],
    [
      version !== undefined && !(version.startsWith("v") && parse(version) !== null),
      "InvalidVersion",
      `spec.template.spec.version ${version} is no semantic version with v in front`,
    ],
    [
      template.spec.clusterName !== clusterName,
      "InvalidSpec",
      `spec.template.spec.clusterName is not ${clusterName}`,
    ],
    [taints.length > 0, "InvalidSpec", "spec.template.spec.taints is not supported for pools"],
    [
      replicas === undefined && defaultReplicas(pool) === undefined,
      "InvalidSpec",
      `spec.replicas is missing and ${MIN_SIZE} and ${MAX_SIZE} are no counts`,
    ],
  ];
  return checks.flatMap(([violated, reason, message]) =>
    violated ? [{ type: "Warning", reason, message } as const] : [],
  );
}
