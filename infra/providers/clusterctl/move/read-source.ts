import { CLUSTER_GROUP, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { listAt, valueAt } from "../../../../shared/api/path.ts";
import type { Unread } from "../../../../shared/contract/rules/move/subject.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import {
  type CrdFacts,
  type DiscoveryTypes,
  discoveryTypes,
  listReduced,
  refusedList,
  SECRETS,
  storedKind,
  typeKey,
} from "./discovery-types.ts";
import {
  classOf,
  createGraph,
  nodesOf,
  type ObjectGraph,
  setShouldNotDelete,
  setSoftOwners,
  setTenants,
} from "./graph.ts";
import { crdOf, INVENTORY_GROUP, type ManagementSide } from "./management-side.ts";
import { contentDigest, reduceObject, type SourceObject } from "./source-object.ts";

interface Adding {
  readonly namespace: string;
  readonly add: (object: KubeObject) => void;
}

/**
 * Reads the classes of other namespaces that Clusters of this one name, and every template that these reference, as
 * clusterctl does. Throws where one of them is missing: clusterctl stops there too.
 * Source: kubernetes-sigs/cluster-api v1.14.0, cmd/clusterctl/client/cluster/objectgraph.go, Discovery
 */
async function readForeignClasses(
  side: ManagementSide,
  graph: ObjectGraph,
  { namespace, add }: Adding,
): Promise<void> {
  const classes = new Map<string, Reference>();
  for (const cluster of nodesOf(graph, CLUSTER_GROUP, "Cluster")) {
    const wanted = classOf(cluster);
    if (wanted === undefined || wanted.namespace === namespace) continue;
    const reference = { apiVersion: `${CLUSTER_GROUP}/v1beta2`, kind: "ClusterClass", ...wanted };
    classes.set(`${wanted.namespace}/${wanted.name}`, {
      ...reference,
      by: `Cluster ${namespace}/${cluster.name}`,
    });
  }
  await sideBySide([...classes.values()], async (wanted) => {
    const found = await readReferenced(side, wanted);
    add(found);
    await sideBySide(templatesOf(found, wanted), async (template) =>
      add(await readReferenced(side, template)),
    );
  });
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Title of the object that names it. */
  readonly by: string;
}

const WORKERS = ["spec.workers.machineDeployments", "spec.workers.machinePools"];
const OWN = ["spec.infrastructure", "spec.controlPlane", "spec.controlPlane.machineInfrastructure"];

function templatesOf(found: KubeObject, { namespace, name }: Reference): readonly Reference[] {
  const workers = WORKERS.flatMap((path) => listAt(found, path));
  const holders = [
    ...OWN.map((path) => valueAt(found, path)),
    ...workers.flatMap((worker) => [valueAt(worker, "infrastructure"), valueAt(worker, "bootstrap")]),
  ];
  return holders.flatMap((holder) => {
    const [apiVersion, kind, template] = ["apiVersion", "kind", "name"].map((member) =>
      valueAt(holder, `templateRef.${member}`),
    );
    if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof template !== "string") return [];
    return [{ apiVersion, kind, namespace, name: template, by: `ClusterClass ${namespace}/${name}` }];
  });
}

async function readReferenced(side: ManagementSide, wanted: Reference): Promise<KubeObject> {
  const { apiVersion, kind, namespace, name, by } = wanted;
  const crd = crdOf(side, wanted);
  const stored = crd === undefined ? undefined : storedKind(crd);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const type: Kind | undefined = stored && { ...stored, version };
  const found = type === undefined ? undefined : await side.client.get(type, { namespace, name });
  if (found !== undefined) return found;
  throw new Error(
    `${by} names ${kind}.${groupOf(apiVersion)} ${namespace}/${name}, which does not exist; clusterctl move stops there: create it or correct the reference`,
  );
}

/** The source of a move: what clusterctl would find, and what it would not look at. */
export interface MoveSource extends ManagementSide {
  readonly types: DiscoveryTypes;
  readonly graph: ObjectGraph;
  /** Objects of kinds that clusterctl does not list. */
  readonly others: readonly SourceObject[];
  readonly unread: readonly Unread[];
  /** The digests by uid, of the objects that clusterctl lists. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Lists everything of a namespace that a move may take or leave, each kind once. Throws where clusterctl would stop too:
 * KubeError, or a class that a Cluster names and that is missing.
 */
export async function readSource(side: ManagementSide, namespace: string): Promise<MoveSource> {
  const types = discoveryTypes(side.crds);
  const graph = createGraph(types);
  const digests = new Map<string, string>();
  const elsewhere: SourceObject[] = [];
  await sideBySide(listsOf(side, types, namespace), async (wanted) => {
    const found = await listReduced(
      side,
      wanted,
      (object) => [reduceObject(object), contentDigest(object)] as const,
    );
    for (const [object, digest] of found) {
      if (isElsewhere(object, namespace)) elsewhere.push(object);
      else {
        graph.add(object);
        digests.set(object.uid, digest);
      }
    }
  });
  const add = (object: KubeObject): void => {
    graph.add(reduceObject(object));
    digests.set(object.metadata.uid ?? "", contentDigest(object));
  };
  await readForeignClasses(side, graph, { namespace, add });
  setSoftOwners(graph);
  setTenants(graph);
  const used = new Set(elsewhere.flatMap(usedClass));
  setShouldNotDelete(graph, namespace, (own) => used.has(`${own.namespace}/${own.name}`));
  return { ...side, types, graph, digests, ...(await readOthers(side, types, namespace)) };
}

interface Wanted {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
}

/** Clusters of all namespaces are listed at once: those of others may use classes of this one. */
function listsOf({ providers }: ManagementSide, types: DiscoveryTypes, namespace: string): readonly Wanted[] {
  const secretsIn = providers
    .filter(({ type }) => type === "InfrastructureProvider")
    .map((provider) => provider.namespace)
    .filter((each) => each !== namespace);
  return [
    ...[...types.values()].map(({ kind }) => ({
      kind,
      namespace: kind.namespaced && typeKey(kind) !== CLUSTERS ? namespace : undefined,
    })),
    ...[...new Set(secretsIn)].map((each) => ({ kind: SECRETS, namespace: each })),
  ];
}

const CLUSTERS = `${CLUSTER_GROUP}/Cluster`;

function isElsewhere(object: SourceObject, namespace: string): boolean {
  return object.cluster !== undefined && object.namespace !== namespace;
}

/** Returns the class, as clusterctl, only where the namespace of the class is written. */
function usedClass({ cluster }: SourceObject): readonly string[] {
  const { hasTopology, className, classNamespace } = cluster ?? {};
  return hasTopology === true ? [`${classNamespace ?? ""}/${className ?? ""}`] : [];
}

/** Kinds without the label, and built-in ones that providers make for a Cluster. */
async function readOthers(
  side: ManagementSide,
  types: DiscoveryTypes,
  namespace: string,
): Promise<Pick<MoveSource, "others" | "unread">> {
  const others: SourceObject[] = [];
  const unread: Unread[] = [];
  await sideBySide(otherKinds(side.crds, types), async (kind) => {
    const wanted = { kind, namespace: kind.namespaced ? namespace : undefined, metadataOnly: true };
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
    try {
      const reduce = (object: KubeObject) => reduceObject({ ...object, apiVersion, kind: kind.kind });
      for (const object of await listReduced(side, wanted, reduce)) others.push(object);
    } catch (error) {
      unread.push(refusedList(error, kind));
    }
  });
  return { others, unread };
}

function otherKinds(crds: readonly CrdFacts[], types: DiscoveryTypes): readonly Kind[] {
  const custom = crds
    .filter(({ group }) => group !== INVENTORY_GROUP)
    .flatMap((crd) => storedKind(crd) ?? [])
    .filter((kind) => !types.has(typeKey(kind)));
  return [...custom, ...BUILT_IN];
}

/** Built-in kinds that providers make for a Cluster, such as the Deployment of a hosted control plane. */
const BUILT_IN: readonly Kind[] = [
  ["", "v1", "Service", "services"],
  ["", "v1", "ServiceAccount", "serviceaccounts"],
  ["", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"],
  ["", "v1", "Pod", "pods"],
  ["apps", "v1", "Deployment", "deployments"],
  ["apps", "v1", "StatefulSet", "statefulsets"],
  ["apps", "v1", "DaemonSet", "daemonsets"],
  ["batch", "v1", "Job", "jobs"],
  ["batch", "v1", "CronJob", "cronjobs"],
  ["rbac.authorization.k8s.io", "v1", "Role", "roles"],
  ["rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"],
].map(([group = "", version = "", kind = "", plural = ""]) => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
}));
