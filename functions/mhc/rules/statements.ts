import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { ConditionChanges } from "../../../shared/rules/machines/condition-patch.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import type { Judged } from "./judge.ts";
import { budgetOf } from "./limit.ts";
import { EXTERNAL_MARK } from "./machine-writes.ts";
import type { Requests } from "./request-reads.ts";

/** Conditions that one health check writes on a Machine, before anything is handed over. */
export interface Statement {
  readonly judged: Judged;
  readonly changes: ConditionChanges;
}

/**
 * Returns what a health check says on each target: its health, where the check is the first by name that selects it,
 * and that an external controller is to act, once, while no request exists and the limit allows one. `requests`:
 * `undefined` = not known, or not asked for.
 */
export function statementsOf(
  check: MachineHealthCheck,
  judged: readonly Judged[],
  requests: Requests | undefined,
): readonly Statement[] {
  const verdicts = judged.map(({ verdict }) => verdict);
  const marks = requests !== undefined && !isDeleting(check) && budgetOf(check, verdicts).isAllowed;
  return judged.map((one) => {
    const isLead = one.health.lead === check.metadata.name;
    const health = isLead ? one.health.condition : undefined;
    const isMarked = marks && requests?.has(one.machine.metadata.name) !== true && isForOutside(one, isLead);
    return {
      judged: one,
      changes: {
        present: [...(health === undefined ? [] : [health.present]), ...(isMarked ? [EXTERNAL_MARK] : [])],
        deprecated: health === undefined ? [] : [health.deprecated],
      },
    };
  });
}

/** Absent, or of a finished remediation; the check of the Machine fails already, or with the same patch. */
function isForOutside({ machine, verdict }: Judged, isLead: boolean): boolean {
  const statusOf = (type: string) => conditionOf(machine.status?.conditions, type)?.status;
  const mark = statusOf(EXTERNAL_MARK.type);
  return (
    verdict.is === "unhealthy" &&
    (isLead || statusOf("HealthCheckSucceeded") === "False") &&
    (mark === undefined || mark === "True")
  );
}
