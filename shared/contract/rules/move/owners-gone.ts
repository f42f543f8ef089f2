import { fail, type Judgement, unknown } from "../rule.ts";
import { at, moveRule } from "./move-rule.ts";
import type { MoveObject, MoveOwner, MoveSubject } from "./subject.ts";

export const keepsOwners = moveRule(
  {
    id: "MV-05",
    level: "MUST",
    sentence: "No object that stays has an owner that moves",
    effect:
      "once its owner is gone, the garbage collector of the source deletes it and its finalizer runs, with no Cluster left that says paused: real infrastructure may be torn down",
    source: "kubernetes-sigs/cluster-api#3653, vmware-archive/cluster-api-provider-cloud-director#216",
  },
  (subject) => [...subject.objects.flatMap(judgeObject), ...unlisted(subject)],
);

/** The garbage collector knows no owners by convention. */
export function goneOwners({ fate, owners }: MoveObject): readonly MoveOwner[] {
  return fate === "moves" ? [] : owners.filter(({ soft, removed }) => removed && !soft);
}

function judgeObject(object: MoveObject): readonly Judgement[] {
  const gone = goneOwners(object);
  if (gone.length === 0) return [];
  const names = gone.map(({ kind, name }) => `${kind} ${name}`).join(", ");
  const { finalizers } = object;
  const found = `owner ${names} moves; finalizers: ${finalizers.length === 0 ? "none" : finalizers.join(", ")}`;
  const kept = object.owners.find(({ soft, removed, fate }) => !soft && !removed && fate !== "unseen");
  return [
    fail({
      ...at(object.title),
      path: "metadata.ownerReferences",
      found,
      expected: "an object that moves too (label its CRD), or one without this owner",
      ...(kept === undefined
        ? {}
        : {
            effect: `it keeps only its owner ${kept.kind} ${kept.name}, which stays, and is parted from the rest`,
          }),
    }),
  ];
}

/** A list that was refused may hide such an object. */
export function unlisted({ unread }: MoveSubject): readonly Judgement[] {
  return unread.map(({ resource, reason }) =>
    unknown(`list ${resource}: ${reason}`, { ...at(resource), expected: "the right to list it" }),
  );
}
