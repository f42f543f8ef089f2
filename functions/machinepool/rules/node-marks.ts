import type { Node } from "../../../shared/api/core.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import {
  isSameTaint,
  nodeKeysPatch,
  nodeTaintsPatch,
  UNINITIALIZED,
} from "../../../shared/rules/workload/node-patch.ts";

/** The fields of a Node that `nodeMarksPatch` writes. */
export const MARK_FIELDS = [
  "metadata.annotations[cluster.x-k8s.io/cluster-name]",
  "metadata.annotations[cluster.x-k8s.io/cluster-namespace]",
  "metadata.annotations[cluster.x-k8s.io/owner-kind]",
  "metadata.annotations[cluster.x-k8s.io/owner-name]",
  "spec.taints",
] as const;

/**
 * Operations that mark a Node as the pool's and open it for pods; none when both is done, and none for a Node that a
 * Machine claims, by provider ID or `status.nodeRef`: that one is marked and opened with its Machine's labels.
 */
export function nodeMarksPatch(pool: MachinePool, node: Node, isClaimed = false): readonly PatchOperation[] {
  if (isClaimed) return [];
  return [
    ...nodeKeysPatch(node, "annotations", {
      set: {
        "cluster.x-k8s.io/cluster-name": pool.spec.clusterName,
        "cluster.x-k8s.io/cluster-namespace": pool.metadata.namespace ?? "",
        "cluster.x-k8s.io/owner-kind": "MachinePool",
        "cluster.x-k8s.io/owner-name": pool.metadata.name,
      },
    }),
    ...nodeTaintsPatch(node, { isGone: (taint) => isSameTaint(taint, UNINITIALIZED) }),
  ];
}

/** Provider ID → the other pools that list it. Built once for all Nodes: lists have thousands of entries. */
export type Rivals = ReadonlyMap<string, readonly MachinePool[]>;

export function rivalsAmong(pools: readonly MachinePool[]): Rivals {
  const rivals = new Map<string, MachinePool[]>();
  for (const pool of pools) {
    for (const providerID of new Set(pool.spec.providerIDList)) {
      const known = rivals.get(providerID);
      if (known === undefined) rivals.set(providerID, [pool]);
      else known.push(pool);
    }
  }
  return rivals;
}

/**
 * Whether a Node that the pool lists or names is another pool's: one that lists it too and is older (creation time,
 * then name), or that stays while this pool is being deleted.
 */
export function belongsElsewhere(pool: MachinePool, node: Node, rivals: Rivals): boolean {
  return rivalsFor(node, rivals).some((rival) => isOlder(rival, pool) || outlives(rival, pool));
}

/** Whether another pool has the instance that the Node stands for. */
export function isContested(node: Node, rivals: Rivals): boolean {
  return rivalsFor(node, rivals).length > 0;
}

function rivalsFor(node: Node, rivals: Rivals): readonly MachinePool[] {
  return rivals.get(node.spec?.providerID ?? "") ?? [];
}

function outlives(rival: MachinePool, pool: MachinePool): boolean {
  return pool.metadata.deletionTimestamp !== undefined && rival.metadata.deletionTimestamp === undefined;
}

function isOlder(a: MachinePool, b: MachinePool): boolean {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`);
  return (left ?? "") < (right ?? "");
}
