import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { ConditionChanges } from "../../../shared/rules/machines/condition-patch.ts";
import { MARK_FIELDS } from "../../../shared/rules/machines/remediation.ts";
import type { Judged } from "./judge.ts";
import { budgetOf } from "./limit.ts";
import { EXTERNAL_MARK } from "./machine-writes.ts";
import type { Requests } from "./request-reads.ts";

const HEALTH_FIELDS = [
  "status.conditions[HealthCheckSucceeded]",
  "status.deprecated.v1beta1.conditions[HealthCheckSucceeded]",
] as const;

/** The conditions that `mhc-machines` writes on a Machine. */
export const STATED_FIELDS = [
  ...HEALTH_FIELDS,
  ...MARK_FIELDS,
  "status.conditions[ExternallyRemediated]",
] as const;

/** The turns of health checks and owners. */
export const BY_OWNER =
  "health checks write it where it is absent or True, its owner where it is False; a left-over goes after a minute";

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

/** Whether the mark is absent, or of a finished remediation; the check fails already, or with the same patch. */
function isForOutside({ machine, verdict }: Judged, isLead: boolean): boolean {
  const statusOf = (type: string) => conditionOf(machine.status?.conditions, type)?.status;
  const mark = statusOf(EXTERNAL_MARK.type);
  return (
    verdict.is === "unhealthy" &&
    (isLead || statusOf("HealthCheckSucceeded") === "False") &&
    (mark === undefined || mark === "True")
  );
}
