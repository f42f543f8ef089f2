import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import { templateChecks, violationsAmong } from "../../../shared/rules/machines/template-violations.ts";
import { setProblem } from "./problems.ts";

/**
 * Returns the rules of admission that the set breaks, as Events that name the field. Those that keep it from
 * having Machines stand in its condition `ScalingUp`, too.
 */
export function setViolations(set: MachineSet): readonly Notice[] {
  const problem = setProblem(set);
  return violationsAmong([
    [problem !== undefined, "InvalidSpec", problem ?? ""],
    ...templateChecks(set, defaultReplicas(set)),
  ]);
}
