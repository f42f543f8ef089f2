import { type StaysBehind, staysBehind } from "../../../shared/contract/rules/move/left-behind.ts";
import { MOVE_RULES } from "../../../shared/contract/rules/move/rules.ts";
import type { MoveSubject } from "../../../shared/contract/rules/move/subject.ts";
import type { Finding } from "../../providers/contract/finding.ts";
import { judge } from "../../providers/contract/judge.ts";
import { type Report, toReport } from "../../providers/contract/report.ts";

/** The report of the contract checker, with what moves and what does not. */
export interface PlanReport extends Report {
  /** `Kind namespace/name` in the order of creation; each group needs those before it. */
  readonly order: readonly (readonly string[])[];
  readonly staysBehind: readonly StaysBehind[];
}

export function judgeMove(subject: MoveSubject): readonly Finding[] {
  const place = { object: `Namespace ${subject.namespace}` };
  return judge(MOVE_RULES, [{ subject, place, contract: "v1beta2" }], new Map());
}

export function planReport(subject: MoveSubject, findings: readonly Finding[]): PlanReport {
  return {
    ...toReport({ crds: [], findings }),
    order: subject.order,
    staysBehind: staysBehind(subject),
  };
}
