/** Label of a CRD, any value: `clusterctl move` looks at objects of this kind. */
export const DISCOVERED_LABEL = "clusterctl.cluster.x-k8s.io";
/** Label of an object or a CRD, any value: the object moves whatever its owners are. */
export const MOVE_LABEL = "clusterctl.cluster.x-k8s.io/move";
/** Label of an object or a CRD, any value: the object moves with everything below it. */
export const MOVE_HIERARCHY_LABEL = "clusterctl.cluster.x-k8s.io/move-hierarchy";
/** Annotation, any value: a move creates nothing while an object of it has this. */
export const BLOCK_MOVE_ANNOTATION = "clusterctl.cluster.x-k8s.io/block-move";
