import type { KubeObject } from "../../api/kinds.ts";

/** Annotation that clusterctl writes on an object of the source just before it deletes it; its value is ignored. */
const DELETE_FOR_MOVE = "clusterctl.cluster.x-k8s.io/delete-for-move";

/** The field that `isLetGo` reads. */
export const LET_GO_FIELDS = [`metadata.annotations[${DELETE_FOR_MOVE}]`] as const;

/**
 * Whether an object is deleted here because it lives on in another management cluster: what it stands for stays as it
 * is, and its finalizers are the mover's.
 */
export function isLetGo({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, DELETE_FOR_MOVE);
}
