import { fail, type Judgement, warn } from "../rule.ts";
import { at, listed, MOVER, moveRule } from "./move-rule.ts";
import { unreadableOwners } from "./provisioned.ts";
import type { MoveObject, MoveSubject } from "./subject.ts";

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
    const story = storyOf(subject, paused.length);
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

/** Says how far an earlier move came that never ended; nothing where the target has nothing of the set. */
function storyOf({ namespace, objects, target }: MoveSubject, paused: number): readonly Judgement[] {
  if (target === undefined) return [];
  const place = at(`Namespace ${namespace}`);
  const moving = objects.filter(({ fate, global }) => fate === "moves" && !global);
  const clusters = new Set(listed({ objects } as MoveSubject, "Cluster").map(({ name }) => name));
  const copied = moving.filter(({ onTarget }) => onTarget === "equal" || onTarget === "other");
  const gone = target.only.filter(
    ({ clusterName }) => clusterName !== undefined && clusters.has(clusterName),
  );
  const asleep = target.only.filter((each) => each.paused);
  const resume = asleep.map(({ title }) =>
    warn({
      ...at(title),
      path: "spec.paused",
      found: "paused on the target, absent at the source",
      expected: "unpaused on the target, where an earlier move stopped before its last step",
      effect: "a move ends by unpausing the target; where it was stopped before, a person has to",
    }),
  );
  if (paused === 0) return [...copied.filter(isCluster).map(judgeTwice), ...resume];
  if (copied.length === 0) return resume;
  const counts = `${copied.length} of ${moving.length} objects of the source are on the target`;
  const [found, expected] =
    gone.length === 0
      ? [
          `an earlier move stopped while it created: ${counts}`,
          "unpause the Clusters of the source, then repeat the move: it overwrites the copies",
        ]
      : [
          `an earlier move stopped while it deleted: ${counts}, ${gone.length} are on the target only`,
          "stop the controllers of the source, unpause its Clusters, repeat the move; running controllers would recreate what is already on the target",
        ];
  return [fail({ ...place, found, expected }), ...resume];
}

function isCluster({ kind, cluster }: MoveObject): boolean {
  return kind === "Cluster" && cluster !== undefined;
}

/** From a directory, or from a move that stopped and whose source was unpaused since. */
function judgeTwice({ title }: MoveObject): Judgement {
  return warn({
    ...at(title),
    found: "runs at the source, and is on the target too",
    expected: "one of them: the move overwrites the target's; stop the controllers of the source before",
    effect: "once both are unpaused, two controllers act on the same infrastructure",
  });
}
