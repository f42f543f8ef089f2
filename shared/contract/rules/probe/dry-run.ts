import { type fail, type Judgement, na, pass, unknown, warn } from "../rule.ts";
import type { ProbeCheck } from "./subject.ts";

/** IMP-28 and its like: the topology may change a template in a dry run, and only there. */
export function judgeDryRun(refused: typeof fail): ProbeCheck {
  return ({ title, role, life }): readonly Judgement[] => {
    if (!role.isTemplate) return [na("the kind is not a template")];
    const trial = life.templates.get(title);
    if (trial === undefined) {
      return [
        unknown("the template has no field that a new one may have otherwise, or the life ended before"),
      ];
    }
    const { path, dryRun, withoutAnnotation, isOpen } = trial;
    if (dryRun !== undefined) return [refused({ path, found: `refused: ${dryRun}`, expected: "accepted" })];
    if (withoutAnnotation === undefined || !isOpen) return [pass()];
    const found = "an immutable template was changed, because the change had the annotation of the topology";
    return [warn({ path, found, expected: "accepted in a dry run only" })];
  };
}
