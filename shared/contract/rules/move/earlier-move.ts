import { fail, type Judgement, warn } from "../rule.ts";
import { at, listed } from "./move-rule.ts";
import type { MoveObject, MoveSubject, MoveTarget, TargetOnly } from "./subject.ts";

/**
 * Says what a move has left that never ended, and what a person has to do; nothing where the target has nothing of the
 * set. `isPaused`: a Cluster of the source is.
 */
export function leftByEarlierMove(subject: MoveSubject, isPaused: boolean): readonly Judgement[] {
  const { objects, target } = subject;
  if (target === undefined) return [];
  const moving = objects.filter(({ fate, global }) => fate === "moves" && !global);
  const copied = moving.filter(({ onTarget }) => onTarget === "equal" || onTarget === "other");
  const resume = target.only.filter(({ paused }) => paused).map(judgeAsleep);
  if (copied.length === 0) return resume;
  const clusters = copied.filter(({ kind, cluster }) => kind === "Cluster" && cluster !== undefined);
  if (!isPaused) return [...clusters.map(judgeTwice), ...resume];

  const counts = `${copied.length} of ${moving.length} objects of the source are on the target`;
  const only = onlyThere(subject, target);
  const awake = clusters.filter(({ title }) => target.running.has(title));
  if (awake.length > 0) return [...awake.map(({ title }) => judgeAwake(title, counts, only)), ...resume];
  return [fail({ ...at(`Namespace ${subject.namespace}`), ...progress(counts, only) }), ...resume];
}

/** Objects of the Clusters that only the target has. */
function onlyThere(subject: MoveSubject, { only }: MoveTarget): readonly TargetOnly[] {
  const clusters = new Set(listed(subject, "Cluster").map(({ name }) => name));
  return only.filter(({ clusterName }) => clusterName !== undefined && clusters.has(clusterName));
}

function progress(counts: string, only: readonly TargetOnly[]): Pick<Judgement, "found" | "expected"> {
  if (only.length === 0) {
    return {
      found: `an earlier move stopped while it created: ${counts}`,
      expected: "unpause the Clusters of the source, then repeat the move: it overwrites the copies",
    };
  }
  return {
    found: `an earlier move stopped while it deleted: ${counts}, ${only.length} are on the target only`,
    expected:
      "stop the controllers of the source, unpause its Clusters, repeat the move; running controllers would recreate what is already on the target",
  };
}

function judgeAsleep({ title }: TargetOnly): Judgement {
  return warn({
    ...at(title),
    path: "spec.paused",
    found: "paused on the target, absent at the source",
    expected: "unpaused on the target, where an earlier move stopped before its last step",
    effect: "a move ends by unpausing the target; where it was stopped before, a person has to",
  });
}

/** Warns of an object on both sides: after a move from a directory, or one that stopped and was unpaused since. */
function judgeTwice({ title }: MoveObject): Judgement {
  return warn({
    ...at(title),
    found: "runs at the source, and is on the target too",
    expected: "one of them: the move overwrites the target's; stop the controllers of the source before",
    effect: "once both are unpaused, two controllers act on the same infrastructure",
  });
}

/** A person has unpaused the wrong side: what is only there was made there, and was never at the source. */
function judgeAwake(title: string, counts: string, only: readonly TargetOnly[]): Judgement {
  return fail({
    ...at(title),
    path: "spec.paused",
    found: `paused at the source, and running on the target: ${counts}; only there: ${namesOf(only)}`,
    expected:
      "stop the controllers of both sides, unpause the Cluster of the source, repeat the move; then delete what only the target has (kubectl delete --wait=false), and start the controllers there",
    effect: "a copy that is not complete recreates what it lacks: Machines, Secrets, certificates",
  });
}

const MAX_NAMES = 20;

function namesOf(objects: readonly TargetOnly[]): string {
  if (objects.length === 0) return "nothing";
  const names = objects.slice(0, MAX_NAMES).map(({ title }) => title);
  const more = objects.length > MAX_NAMES ? ` and ${objects.length - MAX_NAMES} more` : "";
  return `${names.join(", ")}${more}`;
}
