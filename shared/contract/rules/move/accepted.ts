import { fail, type Judgement, na, unknown } from "../rule.ts";
import { at, MOVER, targetRule } from "./move-rule.ts";
import type { Attempt } from "./subject.ts";

export const targetAccepts = targetRule(
  {
    id: "MV-12",
    level: "MUST",
    sentence: "The target accepts every object of the move set",
    effect: "clusterctl move stops in the middle: the source is paused and a part is on the target",
    source: `${MOVER}, createTargetObject`,
  },
  ({ attempts }) =>
    attempts === undefined
      ? [na("asked for with --try only")]
      : attempts.flatMap((attempt) => judgeAttempt(attempt)),
);

function judgeAttempt({ title, outcome, message }: Attempt): readonly Judgement[] {
  switch (outcome) {
    case "accepted":
    // Then it is overwritten, which MV-09 reports.
    case "exists":
      return [];
    case "refused":
      return [fail({ ...at(title), found: message, expected: "an object that the target creates" })];
    case "no namespace":
      return [
        unknown("not on the target yet, so none of its objects can be tried there", {
          ...at(title),
          expected: "the Namespace on the target, or the risk that a refusal stops the move in the middle",
        }),
      ];
    case "gone":
      return [unknown("it was deleted at the source since it was listed", at(title))];
    default:
      return outcome satisfies never;
  }
}
