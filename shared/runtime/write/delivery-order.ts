import type { KubeObject } from "../../api/kinds.ts";

/** Kinds that others need, in this order before all others. Source: util/resource/resource.go */
const FIRST = [
  ...["Namespace", "CustomResourceDefinition", "StorageClass", "PersistentVolume", "PersistentVolumeClaim"],
  ...["Secret", "ConfigMap", "ServiceAccount", "LimitRange", "Pod", "ReplicaSet"],
];

/** Returns the objects of one value in groups: each is sent once the one before it is, in itself side by side. */
export function inOrder(objects: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  const byRank = Map.groupBy(objects, ({ kind }) =>
    FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length,
  );
  return [...byRank].sort(([a], [b]) => a - b).map(([, group]) => group);
}
