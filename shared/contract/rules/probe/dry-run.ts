import { fail, type Judgement, na, pass, unknown } from "../rule.ts";
import type { ProbeSubject } from "./subject.ts";

/** IMP-28 and its like: the topology may change a template in a dry run. */
export function judgeDryRun({ title, role, life }: ProbeSubject): readonly Judgement[] {
  if (!role.isTemplate) return [na("the kind is not a template")];
  const refusal = life.dryRuns.get(title);
  if (refusal === undefined)
    return [unknown("the template has no field to change, or the life ended before")];
  if (refusal === null) return [pass()];
  return [fail({ path: "spec.template.spec", found: `refused: ${refusal}`, expected: "accepted" })];
}
