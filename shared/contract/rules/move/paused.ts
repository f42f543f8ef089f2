import { fail, type Judgement } from "../rule.ts";
import { leftByEarlierMove } from "./earlier-move.ts";
import { at, listed, MOVER, moveRule } from "./move-rule.ts";
import { unreadableOwners } from "./provisioned.ts";
import type { MoveObject } from "./subject.ts";

export const notPaused = moveRule(
  {
    id: "MV-04",
    level: "MUST",
    sentence: "No Cluster and no ClusterClass is paused",
    effect: "clusterctl move refuses: it would unpause at the end what was paused on purpose",
    source: `${MOVER}, checkClustersNotPaused`,
  },
  (subject) => {
    const paused = listed(subject, "Cluster").filter((object) => pathsOf(object).length > 0);
    const classes = listed(subject, "ClusterClass").filter(({ hasPausedAnnotation }) => hasPausedAnnotation);
    const story = leftByEarlierMove(subject, paused.length > 0);
    return [
      ...[...paused, ...classes].flatMap((object) => judgePaused(object, story)),
      ...story,
      ...unreadableOwners(subject, ["ClusterClass"]),
    ];
  },
);

/** Fields that pause an object. */
function pathsOf({ cluster, hasPausedAnnotation }: MoveObject): readonly string[] {
  return [...(cluster?.paused === true ? ["spec.paused"] : []), ...(hasPausedAnnotation ? [ANNOTATION] : [])];
}

const ANNOTATION = "metadata.annotations[cluster.x-k8s.io/paused]";

function judgePaused(object: MoveObject, story: readonly Judgement[]): readonly Judgement[] {
  const { title, namespace, name, kind } = object;
  const plural = kind === "Cluster" ? "cluster" : "clusterclass";
  return (kind === "Cluster" ? pathsOf(object) : [ANNOTATION]).map((path) => {
    const unpause =
      path === ANNOTATION
        ? `kubectl annotate ${plural} ${name} -n ${namespace} cluster.x-k8s.io/paused-`
        : `kubectl patch ${plural} ${name} -n ${namespace} --type=merge -p '{"spec":{"paused":null}}'`;
    const when = story.length === 0 ? "" : "; first read what an earlier move has left";
    return fail({ ...at(title), path, found: "set", expected: `absent: ${unpause}${when}` });
  });
}
