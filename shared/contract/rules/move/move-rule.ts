import { CLUSTER_GROUP } from "../../../api/kinds.ts";
import { EVERY_CONTRACT, type Judgement, pass, type Rule, unknown } from "../rule.ts";
import type { MoveObject, MoveSubject, MoveTarget } from "./subject.ts";

type Text = Pick<Rule<MoveSubject>, "id" | "level" | "sentence" | "effect" | "source">;

/** A rule of a move between two management clusters; one without a finding passes. */
export function moveRule(
  text: Text,
  check: (subject: MoveSubject) => readonly Judgement[],
): Rule<MoveSubject> {
  return {
    ...text,
    contracts: EVERY_CONTRACT,
    artefact: "MOVE",
    check(subject) {
      const judgements = check(subject);
      return judgements.length === 0 ? [pass()] : judgements;
    },
  };
}

/** A rule that needs the target. */
export function targetRule(
  text: Text,
  check: (subject: MoveSubject, target: MoveTarget) => readonly Judgement[],
): Rule<MoveSubject> {
  return moveRule(text, (subject) =>
    subject.target === undefined
      ? [unknown("needs the target management cluster; name its kubeconfig with --to-kubeconfig")]
      : check(subject, subject.target),
  );
}

/** Returns the place of a judgement about one object. */
export function at(title: string): Pick<Judgement, "at"> {
  return { at: { object: title } };
}

/** Files of kubernetes-sigs/cluster-api v1.14.0. */
export const MOVER = "cmd/clusterctl/client/cluster/mover.go";
export const GRAPH = "cmd/clusterctl/client/cluster/objectgraph.go";

/** Objects of a core kind that clusterctl lists. */
export function listed({ objects }: MoveSubject, kind: string): readonly MoveObject[] {
  return objects.filter((each) => each.discovered && each.kind === kind && each.group === CLUSTER_GROUP);
}
