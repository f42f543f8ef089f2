import { CLUSTER_GROUP, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import type { Unread } from "../../../../shared/contract/rules/move/subject.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import { contentDigest } from "./content-digest.ts";
import {
  type CrdFacts,
  type DiscoveryTypes,
  discoveryTypes,
  SECRETS,
  storedKind,
  typeKey,
} from "./discovery-types.ts";
import { readForeignClasses } from "./foreign-classes.ts";
import { createGraph, type ObjectGraph, setShouldNotDelete, setSoftOwners, setTenants } from "./graph.ts";
import { listReduced, refusedList } from "./listing.ts";
import { INVENTORY_GROUP, type ManagementSide } from "./management-side.ts";
import { reduceObject, type SourceObject } from "./source-object.ts";

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
