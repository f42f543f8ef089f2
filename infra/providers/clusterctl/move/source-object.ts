import { hash } from "node:crypto";
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
import { canonical } from "../../../../shared/runtime/digest.ts";

/** Bounds of one object: real ones have about ten references, none deeper than eight levels. */
const MAX_REFERENCES = 64;
const MAX_DEPTH = 16;
const MAX_VALUES = 20_000;

const REFERENCE = /(?:^r|R)ef(?:s|erences?)?$/;
const SECRET_NAME = /(?:^s|S)ecretName$/;

/**
 * Returns the objects that the spec of an object names: members such as `infrastructureRef`, `identityRef` and
 * `dataSecretName`, and the kubeconfig Secret of a Cluster. A reference without kind means a Secret.
 */
function namedReferences(object: KubeObject): readonly NamedReference[] {
  const found: NamedReference[] = [];
  const open: Visit[] = [{ path: "spec", value: Reflect.get(object, "spec"), depth: 0 }];
  let values = 0;
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    values += 1;
    if (values > MAX_VALUES || found.length >= MAX_REFERENCES) break;
    const reference = referenceIn(visit);
    if (reference !== undefined) found.push(reference);
    else if (visit.depth < MAX_DEPTH) open.push(...membersOf(visit));
  }
  const { kind, apiVersion, metadata } = object;
  if (kind === "Cluster" && groupOf(apiVersion) === CLUSTER_GROUP) {
    found.push({ path: "metadata.name", group: "", kind: "Secret", name: `${metadata.name}-kubeconfig` });
  }
  return found;
}

interface Visit {
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
}

function referenceIn({ path, value }: Visit): NamedReference | undefined {
  const member = /([^.[\]]+)(?:\[\d+\])?$/.exec(path)?.[1] ?? "";
  if (SECRET_NAME.test(member)) {
    return isText(value) ? { path, group: "", kind: "Secret", name: value } : undefined;
  }
  if (!REFERENCE.test(member) || typeof value !== "object" || value === null) return undefined;
  const { name, kind, namespace, apiGroup, apiVersion } = value as { readonly [member: string]: unknown };
  if (!isText(name)) return undefined;
  const named = { path, name, namespace: isText(namespace) ? namespace : undefined };
  if (!isText(kind)) return { ...named, group: "", kind: "Secret" };
  if (isText(apiGroup)) return { ...named, group: apiGroup, kind };
  return { ...named, group: isText(apiVersion) ? groupOf(apiVersion) : undefined, kind };
}

function membersOf({ path, value, depth }: Visit): readonly Visit[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .slice(0, MAX_VALUES)
    .map(([name, each]: readonly [string, unknown]) => {
      const at = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
      return { path: at, value: each, depth: depth + 1 };
    });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * Returns a digest of what a move writes of an object: equal on both sides means that an overwrite changes nothing.
 * Left out is what servers set (uid, versions, times, status), and `spec.paused` of a Cluster, which the move sets. The
 * digest of a Secret stays in this process.
 */
export function contentDigest(object: KubeObject): string {
  const { metadata, ...content } = object;
  const { labels, annotations, finalizers, ownerReferences = [] } = metadata;
  const owners = ownerReferences
    .map(({ uid: _, ...owner }) => canonical({ controller: false, blockOwnerDeletion: false, ...owner }))
    .sort();
  Reflect.deleteProperty(content, "status");
  const spec: unknown = Reflect.get(content, "spec");
  if (object.kind === "Cluster" && typeof spec === "object" && spec !== null) {
    const { paused: _, ...rest } = spec as { readonly paused?: unknown };
    Reflect.set(content, "spec", rest);
  }
  const kept = { labels: filled(labels), annotations: filled(annotations), finalizers: filled(finalizers) };
  return hash("sha256", canonical({ ...content, owners, ...kept }));
}

/** An empty map or list is stored as an absent one. */
function filled(value: object | undefined): object | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

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
