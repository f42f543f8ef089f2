import { type Judgement, warn } from "../rule.ts";
import { at, GRAPH, moveRule } from "./move-rule.ts";
import type { MoveObject, MoveSubject, NamedReference } from "./subject.ts";

export const namesWhatMoves = moveRule(
  {
    id: "MV-07",
    level: "SHOULD",
    sentence: "No object that moves names one that stays",
    effect: "at the target the name leads nowhere until the object is made there",
    source: `${GRAPH}, getMoveNodes`,
  },
  (subject) => {
    const staying = stayingByName(subject);
    return subject.objects
      .filter(({ fate }) => fate === "moves")
      .flatMap((object) => object.references.flatMap((each) => judgeReference(object, each, staying)));
  },
);

type ByName = ReadonlyMap<string, readonly MoveObject[]>;

function stayingByName({ objects }: MoveSubject): ByName {
  return Map.groupBy(
    objects.filter(({ fate }) => fate !== "moves"),
    ({ kind, name }) => `${kind} ${name}`,
  );
}

function judgeReference(
  object: MoveObject,
  reference: NamedReference,
  staying: ByName,
): readonly Judgement[] {
  const { kind, name, group, path, namespace = object.namespace } = reference;
  const named = (staying.get(`${kind} ${name}`) ?? []).filter(
    (each) =>
      (group === undefined || each.group === group) &&
      (each.namespace === "" || each.namespace === namespace),
  );
  return named.map(({ title }) =>
    warn({ ...at(object.title), path, found: `${title}, which stays`, expected: `${title} on the target` }),
  );
}
