import type * as z from "zod";

/** Owner reference as Kubernetes stores it. `controller` and `blockOwnerDeletion` absent means false. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  /** Decimal, comparable only within one kind of one server. */
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly labels?: { readonly [key: string]: string } | undefined;
  readonly annotations?: { readonly [key: string]: string } | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  /**
   * Snapshots only: field path → names of the field managers that hold it, for the paths a function declares
   * as contested (KR-01). Read it with `managersOf`.
   */
  readonly managers?: { readonly [path: string]: readonly string[] } | undefined;
  /** Snapshots only: another controller that changes fields of Capstan here; functions leave the object alone `until` then, RFC 3339. */
  readonly foreign?: { readonly manager: string; readonly until: string } | undefined;
  /** Only during a run: why the object is left alone beside another controller. */
  readonly standsBack?: string | undefined;
  /** Snapshots only: by its label `cluster.x-k8s.io/watch-filter` another controller works on it. */
  readonly isElsewhere?: true | undefined;
  /** Snapshots only: the field manager that pauses it, by `spec.paused` or the annotation. */
  readonly pausedBy?: string | undefined;
  /** Snapshots only, of an object of a provider: no client has written its status yet. Most of a status is not kept. */
  readonly isSilent?: true | undefined;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "date" | "boolean" | "number";
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
}

/** Parts of a CRD beyond the schema; kinds without it are built into the API server. */
export interface CrdSpec {
  readonly listKind?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly labels?: { readonly [key: string]: string };
  /** Contract rules that its CRD breaks on purpose: the reason of each. */
  readonly waived?: { readonly [rule: string]: string };
  readonly printerColumns?: readonly PrinterColumn[];
  readonly status: boolean;
  /** The schema lists `metadata` as required, as the published one does. The API server insists on it anyway. */
  readonly requiresMetadata?: boolean;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

/** Reference to a provider object: the namespace is the referrer's, the version comes from the CRD's labels. */
export interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
  /** The version of a reference with `apiVersion`: exactly this version, whatever the labels of the CRD say. */
  readonly version?: string | undefined;
}

/** Contract between Cluster API and a provider, which a CRD claims by label (PC-2). */
export type ContractVersion = "v1beta1" | "v1beta2";

/**
 * One index of a kind: the strings at `path` (a string, a list of strings, or `member` of a list of objects), or the
 * pairs of a map.
 */
interface KindIndex {
  readonly name: string;
  readonly path: string;
  readonly member?: string;
  /** The value is a map of labels, found by `<key>=<value>` (shared/api/indexes.ts). */
  readonly pairs?: "all" | "first";
  /** Objects with this label are not in the index. */
  readonly unlessLabel?: string;
  /** Objects without this label are not in the index. */
  readonly onlyLabel?: string;
  /** Objects that have a controller are not in the index. */
  readonly unlessControlled?: true;
}

/**
 * A kind of API object. `plural` is the URL segment. `T` is only a type: `Kind<MachinePool>` makes a read of
 * this kind return a MachinePool.
 */
export interface Kind<T extends KubeObject = KubeObject> {
  /** Empty for core/v1. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Makes the schema. Only the CustomResourceDefinition and conversions need it: no process pays for it at its start. */
  readonly schema?: (() => z.ZodType<T>) | undefined;
  readonly crd?: CrdSpec | undefined;
  /** Paths of `ContractReference`s to provider objects; the relay watches the kinds that they name. */
  readonly references?: readonly string[] | undefined;
  /** Those of them to templates of objects that are made here: the kind of these is theirs without `TEMPLATE_SUFFIX`. */
  readonly templates?: readonly string[] | undefined;
  /** Path of the immutable name of the Cluster an object belongs to; the label decides where it is absent. */
  readonly clusterNamePath?: string | undefined;
  /** Further values to find objects by, see shared/api/indexes.ts. */
  readonly indexes?: readonly KindIndex[] | undefined;
  /** Found by its namespace, too: index `namespace`. */
  readonly foundByNamespace?: true | undefined;
  /** Only metadata of its objects is watched, of those that this selector of fields shows. */
  readonly metadataOnly?: { readonly fieldSelector?: string } | undefined;
  /** The provider that brings it, by its label for clusterctl; absent: Cluster API's core. */
  readonly provider?: string | undefined;
  /** Type carrier, never set. */
  readonly objectType?: T | undefined;
}

/** API group of the kinds of core. */
export const CLUSTER_GROUP = "cluster.x-k8s.io";

/** The name of an API server: the management one, or `<namespace>/<name>` of a workload Cluster. */
export type ClusterName = string;
export const MANAGEMENT: ClusterName = "management";

export interface ObjectKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** One object on one server. `uid` and `resourceVersion` are what the decision was based on. */
export interface ObjectRef extends ObjectKey {
  readonly cluster: ClusterName;
  readonly kind: Kind;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns the group of an `apiVersion`: `""` for core, `cluster.x-k8s.io` for `cluster.x-k8s.io/v1beta2`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Names of a kind that kubectl accepts. */
export function kindNames({ kind, plural, group, crd }: Kind): readonly string[] {
  return [kind.toLowerCase(), plural, `${plural}.${group}`, ...(crd?.shortNames ?? [])];
}

/** Returns how reports, causes and plans name an object: `MachinePool default/p1`, `Node n1`. */
export function titleOf(
  kind: string,
  { namespace = "", name }: Pick<ObjectMeta, "namespace" | "name">,
): string {
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

export function objectKeyOf(object: KubeObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name };
}

/**
 * Returns the object as the target of a write, with the uid and version that were read. Cluster API's in-memory workload
 * servers give no uid, which Kubernetes' own client reads as an empty one.
 */
export function refTo(kind: Kind, object: KubeObject, cluster: ClusterName = MANAGEMENT): ObjectRef {
  const { uid = "", resourceVersion } = object.metadata;
  return { ...objectKeyOf(object), cluster, kind, uid, resourceVersion };
}

/** Returns the name of the workload server of a Cluster. */
export function workloadCluster(key: ObjectKey): ClusterName {
  return `${key.namespace}/${key.name}`;
}
