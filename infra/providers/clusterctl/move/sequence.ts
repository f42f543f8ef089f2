import { dependentsIn, type GraphNode, type ObjectGraph, ownersOf } from "./graph.ts";

/** The objects that a move takes, in the order in which it creates them, and those of them that it never reaches. */
export interface MoveSequence {
  /** Each group has its owners in earlier groups. */
  readonly groups: readonly (readonly GraphNode[])[];
  /** Owned by an object that does not move, or by each other: left behind without an error. */
  readonly unplaced: readonly GraphNode[];
}

/** Source: kubernetes-sigs/cluster-api v1.14.0, cmd/clusterctl/client/cluster/mover.go, getMoveSequence */
export function moveSequence(graph: ObjectGraph): MoveSequence {
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
