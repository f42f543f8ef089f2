import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { annotationsPatch } from "../../../shared/rules/metadata/labels.ts";

/** The fields of a Node that `nodeMarksPatch` writes. */
export const MARK_FIELDS = [
  "metadata.annotations[cluster.x-k8s.io/cluster-name]",
  "metadata.annotations[cluster.x-k8s.io/cluster-namespace]",
  "metadata.annotations[cluster.x-k8s.io/owner-kind]",
  "metadata.annotations[cluster.x-k8s.io/owner-name]",
  "spec.taints",
] as const;

/** Annotation on a Node: its Machine's labels are on it. */
const LABELS_ARE_ON_IT = "cluster.x-k8s.io/labels-from-machine";
/** The field that says whether the Machine of a Node has set its labels. */
export const LABELLED_FIELDS = [`metadata.annotations[${LABELS_ARE_ON_IT}]`] as const;

/**
 * Operations that mark a Node as the pool's and open it for pods; none when both is done. One that a Machine claims
 * (`status.nodeRef`) is marked by that Machine, and open for pods only with the Machine's labels.
 * Source: MP-6.4
 */
export function nodeMarksPatch(
  pool: MachinePool,
  node: Node,
  machines: readonly Machine[] = [],
): readonly PatchOperation[] {
  if (machines.some(({ status }) => status?.nodeRef?.name === node.metadata.name)) {
    return Object.hasOwn(node.metadata.annotations ?? {}, LABELS_ARE_ON_IT) ? openingPatch(node) : [];
  }
  const annotations = annotationsPatch(node, {
    "cluster.x-k8s.io/cluster-name": pool.spec.clusterName,
    "cluster.x-k8s.io/cluster-namespace": pool.metadata.namespace ?? "",
    "cluster.x-k8s.io/owner-kind": "MachinePool",
    "cluster.x-k8s.io/owner-name": pool.metadata.name,
  });
  // Nodes are patched without a version, so a whole map may only be added where there is none yet.
  const unannotated = node.metadata.annotations === undefined;
  const stillNone = { op: "test", path: "/metadata/annotations", value: null } as const;
  return [...(unannotated ? [stillNone] : []), ...annotations, ...openingPatch(node)];
}

/** Removes the taint that keeps pods away until the Node is known. Key and effect decide, its value does not. */
function openingPatch(node: Node): readonly PatchOperation[] {
  const taints = node.spec?.taints ?? [];
  const index = taints.findIndex(
    ({ key, effect }) => key === "node.cluster.x-k8s.io/uninitialized" && effect === "NoSchedule",
  );
  if (index < 0) return [];
  const path = `/spec/taints/${index}`;
  return [
    { op: "test", path, value: taints[index] },
    { op: "remove", path },
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
