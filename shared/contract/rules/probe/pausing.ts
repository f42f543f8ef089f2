import type { KubeObject } from "../../../api/kinds.ts";
import { sameJson, valueAt } from "../../../api/path.ts";
import { type Judgement, na, orPass, unknown, warn } from "../rule.ts";
import { type PauseTrial, type ProbeSubject, type Snapshot, titleOf } from "./subject.ts";

const PATH = "status.conditions[Paused]";

/** IMP-25 and its like: a paused object and everything below it rest, and the object says that it is paused. */
export function judgePausing({ title, contract, life }: ProbeSubject): readonly Judgement[] {
  if (life.pauses.length === 0) return [unknown("the life ended before the pause")];
  const judged = life.pauses.filter(({ targets }) => targets.has(title));
  if (judged.length === 0) return [na("the object was not there when the Cluster was paused")];
  const judgements = judged.flatMap((trial) => judgeTrial(title, trial, contract === "v1beta2"));
  return orPass(judgements);
}

function judgeTrial(title: string, trial: PauseTrial, isObserved: boolean): readonly Judgement[] {
  const { by, before, after, saidPaused, saidResumed, changes } = trial;
  const pause = by === "Cluster" ? "spec.paused of the Cluster" : "the annotation";
  const changed = changesBelow(title, before, after);
  if (changed.length > 0) {
    const found = `changed while paused by ${pause}: ${changed.slice(0, 5).join(", ")}`;
    return [warn({ found, expected: "no change for 10 s" })];
  }
  const object = after.get(title);
  if (object === undefined || valueAt(object, PATH) === undefined) {
    return [warn({ path: PATH, found: `absent while paused by ${pause}`, expected: "True" })];
  }
  if (!saidPaused.has(title)) {
    return [
      warn({ path: PATH, found: `not True for this generation while paused by ${pause}`, expected: "True" }),
    ];
  }
  if (isObserved && valueAt(object, `${PATH}.observedGeneration`) === undefined) {
    return [warn({ path: `${PATH}.observedGeneration`, found: "absent", expected: "the generation" })];
  }
  if (!saidResumed.has(title)) {
    return [
      warn({ path: PATH, found: `not False within the limit after ${pause} was gone`, expected: "False" }),
    ];
  }
  const change = changes.get(title);
  if (change === undefined || change.actedOn) return [];
  return [unknown(`${change.what} was changed during the pause, and nothing followed within the limit`)];
}

/** Titles of the object, where its status differs, and of those below it that differ. */
export function changesBelow(title: string, before: Snapshot, after: Snapshot): readonly string[] {
  const below = new Set([...belowOf(title, before), ...belowOf(title, after)]);
  return [...below].filter((one) => {
    const [a, b] = [before.get(one), after.get(one)];
    return one === title
      ? !sameJson(a && statusOf(a), b && statusOf(b))
      : !sameJson(a && restOf(a), b && restOf(b));
  });
}

/** The object and everything with a chain of owners to it. */
export function belowOf(title: string, snapshot: Snapshot): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [title];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const uid = snapshot.get(next)?.metadata.uid;
    if (uid === undefined || found.has(next)) continue;
    found.add(next);
    for (const object of snapshot.values()) {
      if (object.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
        open.push(titleOf(object));
    }
  }
  return found;
}

/** Returns the status without the condition that has to change. */
function statusOf(object: KubeObject): unknown {
  const status = valueAt(object, "status");
  if (typeof status !== "object" || status === null) return {};
  const { conditions = [], observedGeneration: _, ...rest } = status as { readonly [name: string]: unknown };
  const others = Array.isArray(conditions)
    ? conditions.filter((one) => valueAt(one, "type") !== "Paused")
    : [];
  return { ...rest, conditions: others };
}

/** Returns everything of an object that a provider or core does not write while it rests. */
export function restOf(object: KubeObject): unknown {
  const { uid, finalizers } = object.metadata;
  return { uid, finalizers, spec: valueAt(object, "spec"), status: statusOf(object) };
}
