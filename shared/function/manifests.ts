import type { ClusterName, ObjectMeta, ObjectRef } from "../api/kinds.ts";

/**
 * All that a step sees of a Secret or ConfigMap whose values are manifests: never a value of it, so that letters hold it
 * as it is. Annotations are left out: that of `kubectl apply` repeats the values.
 */
export interface ManifestSummary {
  readonly metadata: Pick<
    ObjectMeta,
    "name" | "namespace" | "uid" | "resourceVersion" | "creationTimestamp" | "ownerReferences"
  >;
  /** The type of a Secret. */
  readonly type?: string | undefined;
  /** `sha256:` and the digest of its values, in the order of their keys; absent without values. */
  readonly hash?: string | undefined;
}

/**
 * The objects of a Secret or ConfigMap, to be brought into a workload cluster. The step says from where; the runtime reads
 * the values and sends the objects, so that none of them passes through a step, a letter or a replay. Source: decision
 * record 18
 */
export interface Delivery {
  readonly cluster: ClusterName;
  /** The Secret or ConfigMap as it was read live. */
  readonly source: ObjectRef;
  /** The hash that was read; other values are delivered by a later run. */
  readonly hash: string;
  /** `create` leaves an object alone that exists; `apply` applies on the server's side, with force. */
  readonly verb: "create" | "apply";
}

/** The end of one delivery. */
export type DeliveryAnswer =
  /** All objects are in the workload cluster. */
  | { readonly type: "applied" }
  /** `problems`: why not, for people, the first three; `isUnreadable`: the values hold no objects. No value is quoted. */
  | { readonly type: "failed"; readonly problems: readonly string[]; readonly isUnreadable?: true };
