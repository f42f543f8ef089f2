import { CLUSTER_GROUP } from "../../../api/kinds.ts";
import { warn } from "../rule.ts";
import { at, GRAPH, moveRule } from "./move-rule.ts";
import { goneOwners, unlisted } from "./owners-gone.ts";
import type { MoveObject, MoveSubject } from "./subject.ts";

/** Why an object stays, in a few words that are always the same. */
export type StayReason =
  | "no CRD label"
  | "kind never moves"
  | "other namespace"
  | "no owner"
  | "owner stays"
  | "cannot be placed";

export interface StaysBehind {
  /** `Kind namespace/name` */
  readonly object: string;
  readonly why: StayReason;
}

export const takesAll = moveRule(
  {
    id: "MV-08",
    level: "SHOULD",
    sentence: "Every object that carries or names a Cluster, and every MachineDrainRule, moves with it",
    effect: "clusterctl move leaves the object at the source without a word",
    source: `${GRAPH}, getMoveNodes`,
  },
  (subject) => {
    const clusters = clustersOf(subject);
    const left = subject.objects.filter((object) => object.fate === "stays" && belongs(object, clusters));
    return [
      ...left.map((object) =>
        warn({
          ...at(object.title),
          found: `stays: ${reasonOf(object, subject.namespace)}`,
          expected: EXPECTED[reasonOf(object, subject.namespace)],
        }),
      ),
      ...unlisted(subject),
    ];
  },
);

const EXPECTED: { readonly [reason in StayReason]: string } = {
  "no CRD label": "the label clusterctl.cluster.x-k8s.io on its CRD",
  "kind never moves": "the object made at the target by hand, where it is needed",
  "other namespace": "an owner that moves, or the label clusterctl.cluster.x-k8s.io/move",
  "no owner": "an owner, or the label clusterctl.cluster.x-k8s.io/move",
  "owner stays": "an owner that moves, or the label clusterctl.cluster.x-k8s.io/move",
  "cannot be placed": "owners that move",
};

/** Returns everything that belongs to a Cluster of the namespace and is not at the target afterwards, sorted. */
export function staysBehind(subject: MoveSubject): readonly StaysBehind[] {
  const clusters = clustersOf(subject);
  return subject.objects
    .filter((object) => object.fate !== "moves")
    .filter(
      (object) => object.fate === "unplaced" || goneOwners(object).length > 0 || belongs(object, clusters),
    )
    .map((object) => ({ object: object.title, why: reasonOf(object, subject.namespace) }));
}

/** Names of the Clusters of the namespace, also of those that stay. */
function clustersOf({ objects, namespace }: MoveSubject): ReadonlySet<string> {
  return new Set(
    objects.filter((object) => isCluster(object) && object.namespace === namespace).map(({ name }) => name),
  );
}

function isCluster({ kind, group }: MoveObject): boolean {
  return kind === "Cluster" && group === CLUSTER_GROUP;
}

/** It is for Machines of the namespace, and names none of their Clusters. */
function isDrainRule({ kind, group }: MoveObject): boolean {
  return kind === "MachineDrainRule" && group === CLUSTER_GROUP;
}

function belongs(object: MoveObject, clusters: ReadonlySet<string>): boolean {
  if (isCluster(object) || isDrainRule(object)) return true;
  return object.clusterName !== undefined && clusters.has(object.clusterName);
}

function reasonOf(object: MoveObject, namespace: string): StayReason {
  if (object.fate === "unplaced") return "cannot be placed";
  if (!object.discovered) return object.hasCrd ? "no CRD label" : "kind never moves";
  if (object.namespace !== "" && object.namespace !== namespace) return "other namespace";
  return object.owners.length === 0 ? "no owner" : "owner stays";
}
