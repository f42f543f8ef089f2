import { groupOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import {
  DISCOVERED_LABEL,
  MOVE_HIERARCHY_LABEL,
  MOVE_LABEL,
} from "../../../../shared/contract/clusterctl-marks.ts";
import type { Crd } from "../../../../shared/contract/rules/crd/subject.ts";
import type { Lineage, Unseen } from "../../../../shared/contract/rules/objects/subject.ts";
import { type CrdFacts, discoveryTypes, typeKey } from "../../clusterctl/move/discovery-types.ts";
import { createGraph, type GraphNode, setTenants } from "../../clusterctl/move/graph.ts";
import { reduceObject } from "../../clusterctl/move/source-object.ts";

/** Returns the owners of each object, as `clusterctl move` sees them. */
export function lineagesOf(
  objects: readonly KubeObject[],
  crds: readonly CrdFacts[],
  unseenOwner: Unseen,
): (object: KubeObject) => Lineage {
  const graph = createGraph(discoveryTypes(crds));
  const named = new Map(objects.map((object) => [nameKey(object), uidOf(object)]));
  const uids = new Set(objects.map(uidOf));
  for (const object of objects) graph.add(reduceObject(withUids(object, { named, uids })));
  setTenants(graph);
  return (object) => {
    const node = graph.nodes.get(uidOf(object));
    return {
      moves: node !== undefined && doesMove(node),
      owners: [...(node?.owners ?? [])].map((owner) => ({
        title: `${owner.kind} ${owner.name}`,
        moves: doesMove(owner),
        unseen: owner.object === undefined ? unseenOwner : undefined,
      })),
    };
  };
}

/** The part of a CRD that a move looks at. */
export function moveFacts({ metadata, group, names, scope, versions }: Crd): CrdFacts {
  const { labels } = metadata;
  return {
    group,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope !== "Cluster",
    discovered: Object.hasOwn(labels, DISCOVERED_LABEL),
    movesByLabel: Object.hasOwn(labels, MOVE_LABEL),
    hierarchyByLabel: Object.hasOwn(labels, MOVE_HIERARCHY_LABEL),
    served: versions.filter(({ served }) => served).map(({ name }) => name),
    storage: versions.find(({ storage }) => storage)?.name,
  };
}

/** Kinds of documents without their CRD: clusterctl labels every CRD that it installs. */
export function assumedFacts(
  objects: readonly KubeObject[],
  known: readonly CrdFacts[],
): readonly CrdFacts[] {
  const there = new Set(known.map(typeKey));
  const facts = new Map<string, CrdFacts>();
  for (const { apiVersion, kind, metadata } of objects) {
    const group = groupOf(apiVersion);
    if (!group.includes(".") || group.endsWith(".k8s.io")) continue;
    const key = typeKey({ group, kind });
    if (there.has(key)) continue;
    const version = apiVersion.slice(group.length + 1);
    facts.set(key, {
      ...{ group, kind, plural: kind.toLowerCase(), namespaced: metadata.namespace !== undefined },
      ...{
        discovered: true,
        movesByLabel: false,
        hierarchyByLabel: false,
        served: [version],
        storage: version,
      },
    });
  }
  return [...facts.values()];
}

function doesMove({ hasTenant, forceMove }: GraphNode): boolean {
  return hasTenant || forceMove;
}

/** Documents have no uid, or that of another server. */
function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? nameKey(object);
}

function nameKey({ apiVersion, kind, metadata }: KubeObject): string {
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}

interface Known {
  readonly named: ReadonlyMap<string, string>;
  readonly uids: ReadonlySet<string>;
}

function withUids(object: KubeObject, { named, uids }: Known): KubeObject {
  const { namespace = "", ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((owner) => {
    if (uids.has(owner.uid)) return owner;
    const key = `${groupOf(owner.apiVersion)}/${owner.kind}/`;
    const uid = named.get(`${key}${namespace}/${owner.name}`) ?? named.get(`${key}/${owner.name}`);
    // An object with a uid of its own is another one of the same name.
    return uid === undefined || !uid.includes("/") ? owner : { ...owner, uid };
  });
  return { ...object, metadata: { ...object.metadata, uid: uidOf(object), ownerReferences: owners } };
}
