import { CLUSTER_GROUP } from "../../../api/kinds.ts";
import { fail, type Judgement, warn } from "../rule.ts";
import { at, targetRule } from "./move-rule.ts";
import type { MovedKind, MoveTarget } from "./subject.ts";

/** The only version of Cluster that clusterctl v1.14 works with. */
const CORE_VERSION = "v1beta2";

export const targetServesKinds = targetRule(
  {
    id: "MV-02",
    level: "MUST",
    sentence:
      "The target serves every kind that moves in the version that the source stores, and its CRD carries the label of clusterctl",
    effect: "clusterctl move finds out while it creates: the source is paused and a part is on the target",
    source: "cmd/clusterctl/client/cluster/mover.go, createTargetObject",
  },
  (subject, target) => {
    // Nothing to move: a target without any CRD blocks nothing.
    const kinds = subject.kinds.filter(({ builtIn }) => !builtIn);
    return [
      ...(kinds.length === 0 ? [] : coreOf(target)),
      ...kinds.flatMap((kind) => judgeKind(kind, target)),
    ];
  },
);

/** clusterctl looks at this one before anything else. */
function coreOf({ crds }: MoveTarget): readonly Judgement[] {
  const storage = crds.get(`${CLUSTER_GROUP}/Cluster`)?.storage;
  if (storage === undefined || storage === CORE_VERSION) return [];
  const expected = `storage version ${CORE_VERSION}`;
  const effect = `clusterctl v1.14 refuses a management cluster that stores Clusters in another version than ${CORE_VERSION}`;
  const place = at("CustomResourceDefinition clusters.cluster.x-k8s.io");
  return [fail({ ...place, path: "spec.versions", found: `storage version ${storage}`, expected, effect })];
}

function judgeKind({ group, kind, version }: MovedKind, { crds }: MoveTarget): readonly Judgement[] {
  const place = at(`${kind}.${group}`);
  const crd = crds.get(`${group}/${kind}`);
  const expected = `${kind} served as ${group}/${version} on the target`;
  if (crd === undefined) return [fail({ ...place, found: "the target has no CRD of this kind", expected })];
  if (!crd.served.includes(version)) {
    const found = `the target serves ${crd.served.length === 0 ? "none" : crd.served.join(", ")}`;
    return [fail({ ...place, path: "spec.versions", found, expected })];
  }
  if (crd.discovered) return [];
  return [
    warn({
      ...place,
      path: "metadata.labels[clusterctl.cluster.x-k8s.io]",
      found: "absent on the CRD of the target",
      expected: "the label with any value",
      effect: "a move back ignores every object of this kind",
    }),
  ];
}
