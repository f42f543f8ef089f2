import { CLUSTER_GROUP, groupOf, type OwnerReference } from "../../../../shared/api/kinds.ts";
import { clusterOfSecret } from "../../../../shared/contract/rules/move/secret-names.ts";
import { type DiscoveryTypes, typeKey } from "./discovery-types.ts";
import { ADDONS_GROUP, isOf, type SourceObject } from "./source-object.ts";

/** An object in the graph of owners; one that is only known from owner references is virtual. */
export interface GraphNode {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The object; undefined: it is virtual. */
  object: SourceObject | undefined;
  readonly owners: Set<GraphNode>;
  /** Owners by convention, without an owner reference. */
  readonly softOwners: Set<GraphNode>;
  forceMove: boolean;
  forceMoveHierarchy: boolean;
  /** Cluster-scoped. */
  global: boolean;
  /** Whether it is below a cluster-scoped object that moves: never overwritten, never deleted at the source. */
  globalHierarchy: boolean;
  shouldNotDelete: boolean;
  /** Something whose hierarchy moves owns it, at whatever distance. */
  hasTenant: boolean;
}

/** Objects by uid. Source: kubernetes-sigs/cluster-api v1.14.0, cmd/clusterctl/client/cluster/objectgraph.go */
export interface ObjectGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Adds an object; one that is there already, as a virtual one, is completed. */
  add(object: SourceObject): void;
}

export function createGraph(types: DiscoveryTypes): ObjectGraph {
  const nodes = new Map<string, GraphNode>();
  const nodeOf = (identity: Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">): GraphNode => {
    const known = nodes.get(identity.uid);
    if (known !== undefined) return known;
    const created = newNode(identity);
    nodes.set(identity.uid, created);
    return created;
  };
  return {
    nodes,
    add(object) {
      const node = nodeOf(object);
      const type = types.get(typeKey({ group: groupOf(object.apiVersion), kind: object.kind }));
      node.object = object;
      node.forceMove ||= object.movesByLabel || type?.forceMove === true;
      node.forceMoveHierarchy ||= object.hierarchyByLabel || type?.forceMoveHierarchy === true;
      node.global ||= type?.global === true;
      for (const owner of object.owners) node.owners.add(nodeOf(owner));
    },
  };
}

function newNode({ uid, apiVersion, kind, name }: Omit<OwnerReference, "controller">): GraphNode {
  return {
    uid,
    apiVersion,
    kind,
    name,
    object: undefined,
    owners: new Set(),
    softOwners: new Set(),
    forceMove: false,
    forceMoveHierarchy: false,
    global: false,
    globalHierarchy: false,
    shouldNotDelete: false,
    hasTenant: false,
  };
}

/** Returns the nodes of a kind, virtual ones included. */
export function nodesOf(graph: ObjectGraph, group: string, kind: string): readonly GraphNode[] {
  return [...graph.nodes.values()].filter((node) => isOf(node, group, kind));
}

/** The class of a Cluster with a topology; its namespace is the Cluster's unless it names another one. */
export function classOf({
  object,
}: GraphNode): { readonly namespace: string; readonly name: string } | undefined {
  if (object?.cluster?.hasTopology !== true) return undefined;
  const { className = "", classNamespace = object.namespace } = object.cluster;
  return { namespace: classNamespace, name: className };
}

/** Links Secrets, Clusters and bindings to the owners that a convention gives them. */
export function setSoftOwners(graph: ObjectGraph): void {
  const clusters = new Map<string, GraphNode[]>();
  for (const node of nodesOf(graph, CLUSTER_GROUP, "Cluster")) {
    const key = `${node.object?.namespace ?? ""}/${node.name}`;
    clusters.set(key, [...(clusters.get(key) ?? []), node]);
  }
  const link = (node: GraphNode, clusterName: string | undefined): void => {
    if (clusterName === undefined) return;
    for (const cluster of clusters.get(`${node.object?.namespace ?? ""}/${clusterName}`) ?? []) {
      node.softOwners.add(cluster);
    }
  };
  for (const secret of nodesOf(graph, "", "Secret")) {
    if (secret.owners.size === 0) link(secret, clusterOfSecret(secret.name));
  }
  for (const binding of nodesOf(graph, ADDONS_GROUP, "ClusterResourceSetBinding")) {
    link(binding, binding.object?.boundCluster);
  }
  for (const ownClass of nodesOf(graph, CLUSTER_GROUP, "ClusterClass")) {
    for (const cluster of [...clusters.values()].flat()) {
      const wanted = classOf(cluster);
      const isWanted =
        wanted?.name === ownClass.name && wanted.namespace === (ownClass.object?.namespace ?? "");
      if (isWanted) cluster.softOwners.add(ownClass);
    }
  }
}

/** Marks everything below the objects whose hierarchy moves, along owners and soft owners. */
export function setTenants(graph: ObjectGraph): void {
  const dependents = dependentsIn(graph.nodes.values(), ownersOf);
  const roots = [...graph.nodes.values()].filter(({ forceMoveHierarchy }) => forceMoveHierarchy);
  for (const node of reachedFrom(roots, dependents)) node.hasTenant = true;
  const global = roots.filter((node) => node.global);
  for (const node of reachedFrom(global, dependents)) node.globalHierarchy = true;
}

/** Marks classes, with everything that they own, that the source keeps because of other namespaces. */
export function setShouldNotDelete(
  graph: ObjectGraph,
  namespace: string,
  usedElsewhere: (ownClass: { readonly namespace: string; readonly name: string }) => boolean,
): void {
  const dependents = dependentsIn(graph.nodes.values(), ({ owners }) => [...owners]);
  const kept = nodesOf(graph, CLUSTER_GROUP, "ClusterClass").filter(({ name, object }) => {
    const own = object?.namespace ?? "";
    return own !== namespace || usedElsewhere({ namespace: own, name });
  });
  for (const node of reachedFrom(kept, dependents)) node.shouldNotDelete = true;
}

type Dependents = ReadonlyMap<GraphNode, readonly GraphNode[]>;

/** Owners and soft owners, each once. */
export function ownersOf({ owners, softOwners }: GraphNode): readonly GraphNode[] {
  return [...new Set([...owners, ...softOwners])];
}

export function dependentsIn(
  nodes: Iterable<GraphNode>,
  owning: (node: GraphNode) => readonly GraphNode[],
): Dependents {
  const dependents = new Map<GraphNode, GraphNode[]>();
  for (const node of nodes) {
    for (const owner of owning(node)) {
      const of = dependents.get(owner);
      if (of === undefined) dependents.set(owner, [node]);
      else of.push(node);
    }
  }
  return dependents;
}

/** Cycles end at the second visit. */
function reachedFrom(roots: readonly GraphNode[], dependents: Dependents): ReadonlySet<GraphNode> {
  const reached = new Set<GraphNode>();
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    for (const dependent of dependents.get(node) ?? []) open.push(dependent);
  }
  return reached;
}
