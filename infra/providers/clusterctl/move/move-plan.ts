import { groupOf, type Kind, titleOf } from "../../../../shared/api/kinds.ts";
import type {
  Fate,
  MovedKind,
  MoveObject,
  MoveOwner,
  MoveSubject,
  MoveTarget,
} from "../../../../shared/contract/rules/move/subject.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import { storedKind, typeKey } from "./discovery-types.ts";
import { dependentsIn, type GraphNode, type ObjectGraph, ownersOf } from "./graph.ts";
import { crdOf, type ManagementSide } from "./management-side.ts";
import type { MoveSource } from "./read-source.ts";
import {
  isBuiltIn,
  type MovedType,
  objectKey,
  readTarget,
  type TargetObjects,
  type Tried,
  targetCrds,
} from "./read-target.ts";
import type { SourceObject } from "./source-object.ts";

/** The objects that a move takes and their order, before the target is asked. */
export interface MovePlan {
  readonly source: MoveSource;
  readonly namespace: string;
  readonly groups: readonly (readonly Planned[])[];
  readonly unplaced: ReadonlySet<string>;
}

interface Planned extends Tried {
  readonly node: GraphNode;
}

/** The objects that a move takes, in the order in which it creates them, and those of them that it never reaches. */
interface MoveSequence {
  /** Each group has its owners in earlier groups. */
  readonly groups: readonly (readonly GraphNode[])[];
  /** Owned by an object that does not move, or by each other: left behind without an error. */
  readonly unplaced: readonly GraphNode[];
}

/** Source: kubernetes-sigs/cluster-api v1.14.0, cmd/clusterctl/client/cluster/mover.go, getMoveSequence */
function moveSequence(graph: ObjectGraph): MoveSequence {
  const moved = [...graph.nodes.values()].filter(({ hasTenant, forceMove }) => hasTenant || forceMove);
  const dependents = dependentsIn(moved, ownersOf);
  /** Owners that are not in a group yet. */
  const missing = new Map(moved.map((node) => [node, ownersOf(node).length]));
  const groups: (readonly GraphNode[])[] = [];
  let next = moved.filter((node) => missing.get(node) === 0);
  while (next.length > 0) {
    groups.push(next);
    for (const node of next) missing.delete(node);
    const freed: GraphNode[] = [];
    for (const dependent of next.flatMap((node) => dependents.get(node) ?? [])) {
      const left = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, left);
      if (left === 0) freed.push(dependent);
    }
    next = freed;
  }
  return { groups, unplaced: [...missing.keys()] };
}

export function planMove(source: MoveSource, namespace: string): MovePlan {
  const { groups, unplaced } = moveSequence(source.graph);
  return {
    source,
    namespace,
    groups: groups.map((group) =>
      group.flatMap((node) => plannedOf(node, source)).toSorted((a, b) => compareText(a.title, b.title)),
    ),
    unplaced: new Set(unplaced.map(({ uid }) => uid)),
  };
}

/** Every node of the move set was read, so it has an object. */
function plannedOf(node: GraphNode, source: MoveSource): readonly Planned[] {
  const { object } = node;
  if (object === undefined) return [];
  const listed = source.types.get(typeKey({ group: groupOf(object.apiVersion), kind: object.kind }));
  // A template of a class in another namespace may be of a kind that is not listed.
  const crd = crdOf(source, object);
  const kind = listed?.kind ?? (crd && storedKind(crd));
  if (kind === undefined) return [];
  const { namespace, name } = object;
  return [{ node, title: titleOf(object.kind, object), kind, namespace, name }];
}

/** Asks the target what it has of a plan. Requests: one list for each kind. */
export async function compareTarget(plan: MovePlan, target: ManagementSide): Promise<TargetObjects> {
  const known = new Set(
    [...plan.source.graph.nodes.values()].flatMap(({ object }) =>
      object === undefined ? [] : [keyOf(object)],
    ),
  );
  const { namespace } = plan;
  return readTarget(target, { namespace, moved: movedTypes(plan) }, (key) => known.has(key));
}

function movedTypes({ groups }: MovePlan): readonly MovedType[] {
  const types = new Map<string, { readonly kind: Kind; readonly namespaces: Set<string | undefined> }>();
  for (const { kind, namespace } of groups.flat()) {
    const type = types.get(typeKey(kind)) ?? { kind, namespaces: new Set() };
    types.set(typeKey(kind), type);
    type.namespaces.add(kind.namespaced ? namespace : undefined);
  }
  return [...types.values()].map(({ kind, namespaces }) => ({ kind, namespaces: [...namespaces] }));
}

function keyOf({ apiVersion, kind, namespace, name }: SourceObject): string {
  return objectKey({ group: groupOf(apiVersion), kind }, namespace, name);
}

interface Target {
  readonly side: ManagementSide;
  readonly objects: TargetObjects;
}

/** Returns what the rules look at. */
export function subjectOf(
  plan: MovePlan,
  target: Target | undefined,
  attempts: MoveSubject["attempts"],
): MoveSubject {
  const { source, namespace, groups, unplaced } = plan;
  const placed = new Set(groups.flat().map(({ node }) => node.uid));
  const fateOf = (uid: string): Fate =>
    placed.has(uid) ? "moves" : unplaced.has(uid) ? "unplaced" : "stays";
  const others = new Set(source.others.map(({ uid }) => uid));
  const customKinds = new Set(source.crds.map(typeKey));
  const view: View = { plan, fateOf, others, customKinds, target: target?.objects };
  const listed = [...source.graph.nodes.values()].flatMap((node) =>
    node.object === undefined ? [] : [moveObject(node.object, node, view)],
  );
  const rest = source.others.map((object) => moveObject(object, undefined, view));
  const titles = groups.map((group) => group.map(({ title }) => title));
  return {
    namespace,
    objects: [...listed, ...rest].toSorted((a, b) => compareText(a.title, b.title)),
    order: titles,
    kinds: movedKinds(plan),
    providers: source.providers,
    unread: source.unread,
    target: target === undefined ? undefined : moveTarget(target),
    attempts,
  };
}

function movedKinds(plan: MovePlan): readonly MovedKind[] {
  return movedTypes(plan)
    .map(({ kind }) => ({
      group: kind.group,
      kind: kind.kind,
      version: kind.version,
      builtIn: isBuiltIn(kind),
    }))
    .toSorted((a, b) => compareText(typeKey(a), typeKey(b)));
}

function moveTarget({ side, objects: { only, running, unread } }: Target): MoveTarget {
  return { providers: side.providers, crds: targetCrds(side.crds), only, running, unread };
}

interface View {
  readonly plan: MovePlan;
  readonly fateOf: (uid: string) => Fate;
  readonly others: ReadonlySet<string>;
  readonly customKinds: ReadonlySet<string>;
  readonly target: TargetObjects | undefined;
}

function moveObject(object: SourceObject, node: GraphNode | undefined, view: View): MoveObject {
  const { apiVersion, kind, namespace, name, uid, owners, ...facts } = object;
  const group = groupOf(apiVersion);
  const fate = view.fateOf(uid);
  const named = owners.map((owner) => moveOwner(owner, false, view));
  const soft = [...(node?.softOwners ?? [])].map((owner) => moveOwner(owner, true, view));
  return {
    title: titleOf(object.kind, object),
    group,
    kind,
    namespace,
    name,
    uid,
    fate,
    removed: isRemoved(node, fate),
    global: node?.global === true || node?.globalHierarchy === true,
    discovered: node !== undefined,
    hasCrd: view.customKinds.has(typeKey({ group, kind })),
    owners: [...named, ...soft],
    finalizers: facts.finalizers,
    clusterName: facts.clusterName,
    blocksMove: facts.blocksMove,
    hasPausedAnnotation: facts.hasPausedAnnotation,
    references: facts.references,
    cluster: facts.cluster,
    hasNode: facts.hasNode,
    onTarget: onTarget(object, view),
  };
}

function isRemoved(node: GraphNode | undefined, fate: Fate): boolean {
  if (node === undefined || fate !== "moves") return false;
  return !node.global && !node.globalHierarchy && !node.shouldNotDelete;
}

type Identity = Pick<MoveOwner, "apiVersion" | "kind" | "name" | "uid">;

function moveOwner({ apiVersion, kind, name, uid }: Identity, soft: boolean, view: View): MoveOwner {
  const node = view.plan.source.graph.nodes.get(uid);
  const isSeen = node?.object !== undefined || view.others.has(uid);
  const fate = isSeen ? view.fateOf(uid) : "unseen";
  return {
    apiVersion,
    kind,
    name,
    uid,
    soft,
    fate,
    removed: fate !== "unseen" && isRemoved(node, fate),
    virtual: node !== undefined && node.object === undefined,
  };
}

function onTarget(object: SourceObject, { target, plan }: View): MoveObject["onTarget"] {
  const group = groupOf(object.apiVersion);
  if (target === undefined || target.unreadKinds.has(typeKey({ group, kind: object.kind }))) return "unknown";
  const there = target.digests.get(keyOf(object));
  if (there === undefined) return "absent";
  return there === plan.source.digests.get(object.uid) ? "equal" : "other";
}
