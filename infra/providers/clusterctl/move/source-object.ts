import { PAUSED_ANNOTATION } from "../../../../shared/api/indexes.ts";
import {
  CLUSTER_GROUP,
  groupOf,
  type KubeObject,
  type OwnerReference,
} from "../../../../shared/api/kinds.ts";
import { textAt, valueAt } from "../../../../shared/api/path.ts";
import {
  BLOCK_MOVE_ANNOTATION,
  MOVE_HIERARCHY_LABEL,
  MOVE_LABEL,
} from "../../../../shared/contract/clusterctl-marks.ts";
import { clusterNameIn } from "../../../../shared/contract/rules/move/cluster-name.ts";
import type { ClusterState, NamedReference } from "../../../../shared/contract/rules/move/subject.ts";
import { namedReferences } from "./named-references.ts";

/** An object of the source, reduced to what a move depends on: no data, no value of a Secret. */
export interface SourceObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly movesByLabel: boolean;
  readonly hierarchyByLabel: boolean;
  readonly blocksMove: boolean;
  readonly hasPausedAnnotation: boolean;
  /** The name of its Cluster from its label, else from its spec. */
  readonly clusterName: string | undefined;
  readonly references: readonly NamedReference[];
  /** The state of a Cluster. */
  readonly cluster?: ClusterState | undefined;
  /** Whether a Machine has a Node. */
  readonly hasNode?: boolean | undefined;
  /** The Cluster of a ClusterResourceSetBinding. */
  readonly boundCluster?: string | undefined;
}

export const ADDONS_GROUP = "addons.cluster.x-k8s.io";

export function isOf(
  { apiVersion, kind }: Pick<SourceObject, "apiVersion" | "kind">,
  group: string,
  wanted: string,
): boolean {
  return kind === wanted && groupOf(apiVersion) === group;
}

export function reduceObject(object: KubeObject): SourceObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = "", uid = "", labels = {}, annotations = {} } = metadata;
  const { ownerReferences = [], finalizers = [] } = metadata;
  const type = { apiVersion, kind };
  return {
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    owners: ownerReferences,
    finalizers,
    movesByLabel: Object.hasOwn(labels, MOVE_LABEL),
    hierarchyByLabel: Object.hasOwn(labels, MOVE_HIERARCHY_LABEL),
    blocksMove: Object.hasOwn(annotations, BLOCK_MOVE_ANNOTATION),
    hasPausedAnnotation: Object.hasOwn(annotations, PAUSED_ANNOTATION),
    clusterName: clusterNameIn(object),
    references: namedReferences(object),
    cluster: isOf(type, CLUSTER_GROUP, "Cluster") ? clusterState(object) : undefined,
    hasNode: isOf(type, CLUSTER_GROUP, "Machine") ? isFilled(valueAt(object, "status.nodeRef")) : undefined,
    boundCluster: isOf(type, ADDONS_GROUP, "ClusterResourceSetBinding")
      ? filledTextAt(object, "spec.clusterName")
      : undefined,
  };
}

/** The fields of a Cluster that clusterctl looks at before it moves it. */
function clusterState(object: KubeObject): ClusterState {
  return {
    paused: valueAt(object, "spec.paused") === true,
    infrastructureProvisioned: valueAt(object, "status.initialization.infrastructureProvisioned") === true,
    controlPlaneCondition: filledTextAt(object, "status.conditions[ControlPlaneInitialized].status"),
    hasControlPlaneRef: isFilled(valueAt(object, "spec.controlPlaneRef")),
    controlPlaneInitialized: valueAt(object, "status.initialization.controlPlaneInitialized") === true,
    hasTopology: isFilled(valueAt(object, "spec.topology")),
    className: filledTextAt(object, "spec.topology.classRef.name"),
    classNamespace: filledTextAt(object, "spec.topology.classRef.namespace"),
  };
}

function filledTextAt(object: KubeObject, path: string): string | undefined {
  return textAt(object, path) || undefined;
}

/** A struct of Go counts as set once a member is not empty. */
function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).some((member) => member !== "");
}
