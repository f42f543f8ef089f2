import type { ContractReference, Kind, KubeObject, ObjectKey } from "./kinds.ts";
import { groupOf } from "./kinds.ts";
import { valueAt } from "./path.ts";

export const CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name";
/** Cluster API's label that says which of several managers an object belongs to. */
export const WATCH_FILTER_LABEL = "cluster.x-k8s.io/watch-filter";
/** The annotation on an object that its controllers are to leave alone; its value means nothing. */
export const PAUSED_ANNOTATION = "cluster.x-k8s.io/paused";
/** The label on control plane Machines; its value means nothing. */
export const CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane";
/** The label on Machines and infrastructure machines of a MachinePool: its name, as a label value. */
export const POOL_NAME_LABEL = "cluster.x-k8s.io/pool-name";
/** The label on Machines of a MachineSet and their provider objects: its name, as a label value. */
export const SET_NAME_LABEL = "cluster.x-k8s.io/set-name";
/** The label on MachineSets and Machines of a MachineDeployment: its name. */
export const DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name";

/** One index entry: objects of a kind are found by (name, value). */
export interface IndexEntry {
  readonly name: string;
  readonly value: string;
}

/** An object found through an index, with the tenant that its keys belong to. */
export interface Member extends ObjectKey {
  readonly tenant: string;
  /** The object is being deleted. Absent: it lives. */
  readonly deleting?: true;
}

export interface Selection {
  readonly namespace?: string;
  /** Only objects with one of these values in the index (shared/api/indexes.ts). */
  readonly index?: { readonly name: string; readonly values: readonly string[] };
}

/**
 * Returns every value by which the read model finds an object:
 *
 * | index | value |
 * |---|---|
 * | `name` | `<namespace>/<name>` |
 * | `uid` | its uid |
 * | `owner` | uid of each owner reference |
 * | `namespace` of kinds that say so | its namespace |
 * | `cluster` | `<namespace>/<cluster name>` by spec field or label |
 * | `pool` | `<namespace>/<cluster name>|<pool name>` of an object with a pool's label |
 * | `reference` | `<group>/<Kind>/<namespace>/<name>` of each provider object it references |
 * | `referencedKind` | `<group>/<Kind>` of the same, and of the objects that are made from referenced templates |
 * | `label` of a Machine | `<namespace>/<cluster name>|<key>=<value>` of each label, or `|*` of one with more than 64 |
 * | `selector` of a health check | the same of the first label that it selects; without one only up to the `|` |
 * | the kind's own | the strings at its path; for objects of a Cluster `<namespace>/<cluster name>|<string>`
 * |
 */
export function indexesOf(kind: Kind | undefined, object: KubeObject): readonly IndexEntry[] {
  const { metadata } = object;
  const namespace = metadata.namespace ?? "";
  const entries: IndexEntry[] = [{ name: "name", value: `${namespace}/${metadata.name}` }];
  if (metadata.uid !== undefined) entries.push({ name: "uid", value: metadata.uid });
  for (const owner of metadata.ownerReferences ?? []) entries.push({ name: "owner", value: owner.uid });
  if (kind?.foundByNamespace === true) entries.push({ name: "namespace", value: namespace });
  const cluster = clusterNameOf(kind, object);
  if (cluster !== undefined) entries.push({ name: "cluster", value: `${namespace}/${cluster}` });
  const pool = metadata.labels?.[POOL_NAME_LABEL];
  if (pool !== undefined) entries.push({ name: "pool", value: `${namespace}/${cluster ?? ""}|${pool}` });
  for (const reference of referencesOf(kind, object)) {
    entries.push({ name: "reference", value: referenceValue(reference, namespace) });
    entries.push({ name: "referencedKind", value: `${reference.apiGroup}/${reference.kind}` });
  }
  for (const { apiGroup, kind: made } of typesMadeBy(kind, object)) {
    entries.push({ name: "referencedKind", value: `${apiGroup}/${made}` });
  }
  entries.push(...ownEntries(kind, object, cluster));
  return distinct(entries);
}

/** The entries that a kind declares for itself. */
function ownEntries(
  kind: Kind | undefined,
  object: KubeObject,
  cluster: string | undefined,
): readonly IndexEntry[] {
  const { namespace = "", labels = {}, ownerReferences = [] } = object.metadata;
  const isControlled = ownerReferences.some(({ controller }) => controller === true);
  const scope = cluster === undefined ? "" : `${namespace}/${cluster}|`;
  return (kind?.indexes ?? [])
    .filter(({ unlessLabel }) => unlessLabel === undefined || labels[unlessLabel] === undefined)
    .filter(({ onlyLabel }) => onlyLabel === undefined || labels[onlyLabel] !== undefined)
    .filter(({ unlessControlled }) => unlessControlled === undefined || !isControlled)
    .flatMap(({ name, path, member, pairs }) => {
      const values = pairs === undefined ? stringsAt(object, path, member) : pairsAt(object, path, pairs);
      return values.map((value) => ({ name, value: `${scope}${value}` }));
    });
}

/** Returns the value of the index `reference` for a provider object. */
export function referenceValue(reference: ContractReference, namespace: string): string {
  return `${reference.apiGroup}/${reference.kind}/${namespace}/${reference.name}`;
}

/**
 * Returns the provider objects that an object references, at the paths its kind declares; malformed ones are
 * left out.
 */
export function referencesOf(kind: Kind | undefined, object: KubeObject): readonly ContractReference[] {
  return (kind?.references ?? []).flatMap((path) => referenceAt(object, path));
}

/** Reads a reference with `apiGroup`, or with `apiVersion` and then in exactly that version. */
function referenceAt(object: KubeObject, path: string): readonly ContractReference[] {
  const value = valueAt(object, path);
  if (typeof value !== "object" || value === null) return [];
  const { apiGroup, apiVersion, kind, name } = value as { readonly [field: string]: unknown };
  if (typeof kind !== "string" || typeof name !== "string") return [];
  if (typeof apiGroup === "string") return [{ apiGroup, kind, name }];
  const [group = "", version] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  return group === "" || version === undefined ? [] : [{ apiGroup: group, kind, name, version }];
}

/** End of the name of every kind of templates. */
export const TEMPLATE_SUFFIX = "Template";

/**
 * Returns the kinds of objects that are made from the templates which an object references; none from a kind without the
 * ending of templates, since a template is never its own product.
 */
export function typesMadeBy(
  kind: Kind | undefined,
  object: KubeObject,
): readonly Omit<ContractReference, "name">[] {
  return (kind?.templates ?? [])
    .flatMap((path) => referenceAt(object, path))
    .filter(({ kind: named }) => named.endsWith(TEMPLATE_SUFFIX) && named !== TEMPLATE_SUFFIX)
    .map(({ apiGroup, kind: named, version }) => ({
      apiGroup,
      kind: named.slice(0, -TEMPLATE_SUFFIX.length),
      version,
    }));
}

/** Returns the name of the Cluster that an object belongs to: the kind's spec field, else the label. */
export function clusterNameOf(kind: Kind | undefined, object: KubeObject): string | undefined {
  const named = kind?.clusterNamePath === undefined ? undefined : valueAt(object, kind.clusterNamePath);
  return typeof named === "string" ? named : object.metadata.labels?.[CLUSTER_NAME_LABEL];
}

/**
 * Returns the tenant of an object's keys: `<namespace>/<cluster name>` where the kind has an immutable field
 * for it, else
 * `<namespace>/-`. Never from a label: a label may change, and one object must not have two keys.
 */
export function tenantOf(kind: Kind | undefined, object: KubeObject): string {
  const namespace = object.metadata.namespace ?? groupOf(object.apiVersion);
  const named = kind?.clusterNamePath === undefined ? undefined : valueAt(object, kind.clusterNamePath);
  return `${namespace === "" ? "default" : namespace}/${typeof named === "string" && named !== "" ? named : "-"}`;
}

/** Returns an object as its indexes show it. */
export function memberOf(kind: Kind | undefined, object: KubeObject): Member {
  const { namespace = "", name, deletionTimestamp } = object.metadata;
  const member = { namespace, name, tenant: tenantOf(kind, object) };
  return deletionTimestamp === undefined ? member : { ...member, deleting: true };
}

function stringsAt(object: KubeObject, path: string, member: string | undefined): readonly string[] {
  const value = valueAt(object, path);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .map((element) => (member === undefined ? element : valueAt(element, member)))
    .filter((element): element is string => typeof element === "string" && element !== "");
}

/** Values that are not texts cannot be labels: they select nothing. */
function pairsAt(object: KubeObject, path: string, pairs: "all" | "first"): readonly string[] {
  const value = valueAt(object, path);
  const map = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const labels = Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  return pairs === "all" ? labelPairs(labels) : [firstPair(labels)];
}

type Labels = { readonly [key: string]: string };

/** Pairs of one object in an index. A user may give an object ten thousand labels. */
const MAX_PAIRS = 64;
/** Stands for every pair, of an object with more labels than that. */
export const ANY_PAIR = "*";
/** The pair of a selector that names no label: it may select any object. */
export const NO_PAIR = "";

/** The pairs by which an object is found, `<key>=<value>`, or `ANY_PAIR`. */
export function labelPairs(labels: Labels): readonly string[] {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length > MAX_PAIRS ? [ANY_PAIR] : pairs;
}

/**
 * The pair that every object has which these labels select: the first by key, without that of the Cluster, which all
 * have; `NO_PAIR`: none.
 */
function firstPair(matchLabels: Labels): string {
  const [first] = Object.keys(matchLabels)
    .filter((key) => key !== CLUSTER_NAME_LABEL)
    .toSorted((a, b) => (a < b ? -1 : 1));
  return first === undefined ? NO_PAIR : `${first}=${matchLabels[first]}`;
}

function distinct(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ name, value }) => {
    const text = `${name} ${value}`;
    return seen.has(text) ? false : seen.add(text);
  });
}
