import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { GuardedPatch, Notice } from "../../../shared/function/define-function.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { Judged } from "./judge.ts";
import { EXTERNAL_MARK, statementPatch } from "./machine-writes.ts";
import { ownerOfRequest } from "./request.ts";
import type { Requests } from "./request-reads.ts";

const TYPE = EXTERNAL_MARK.type;
const MAX_NAMES = 3;

/** Said of a Machine whose request the API server refuses. The words of the server are in an Event. */
export const CREATION_FAILED = condition(
  TYPE,
  "False",
  "RemediationRequestCreationFailed",
  "Please check controller logs for errors",
);

/** Said of a Machine whose template cannot be read. Source: MHC-10.4 */
export function templateNotFound(named: string, why?: string): DesiredCondition {
  const message = `Error retrieving remediation template ${named}${why === undefined ? "" : `: ${why}`}`;
  return condition(TYPE, "False", "RemediationTemplateNotFound", message);
}

/**
 * Says why a Machine that waits for an external controller has no request, or that it has one after all. Only while the
 * condition is False: then it is not the turn of `mhc-machines`, and the external controller has another reason.
 * Differs: upstream sets these in memory and writes them nowhere (D11). Source: MHC-10.4
 */
export function failurePatch(
  machine: Machine,
  desired: DesiredCondition,
  now: Date,
): readonly GuardedPatch[] {
  const stored = conditionOf(machine.status?.conditions, TYPE);
  if (stored?.status !== "False" || !OWN.has(stored.reason)) return [];
  return statementPatch(machine, { present: [desired] }, now);
}

const OWN: ReadonlySet<string> = new Set([
  EXTERNAL_MARK.reason,
  CREATION_FAILED.reason,
  "RemediationTemplateNotFound",
]);

/** Takes the failures of those back that have their requests now. Source: MHC-10.4 */
export function relievedPatches(
  judged: readonly Judged[],
  requests: Requests,
  now: Date,
): readonly GuardedPatch[] {
  return judged
    .filter(({ machine }) => requests.has(machine.metadata.name))
    .flatMap(({ machine }) => failurePatch(machine, EXTERNAL_MARK, now));
}

/**
 * Names the unhealthy Machines that get no request, since an object of another owner has its name: an earlier Machine,
 * whose request its controller has not let go, or an object without any Machine among its owners. Source: MHC-10.1
 */
export function occupiedNotices(judged: readonly Judged[], requests: Requests): readonly Notice[] {
  const names = judged.flatMap(({ machine, verdict }) => {
    const request = requests.get(machine.metadata.name);
    if (verdict.is !== "unhealthy" || request === undefined) return [];
    return ownerOfRequest(request, machine) === "ours" ? [] : [`${request.kind} ${request.metadata.name}`];
  });
  if (names.length === 0) return [];
  const listed = listNames(names.toSorted(compareText), MAX_NAMES);
  return [
    {
      type: "Warning",
      reason: "RemediationBlocked",
      message: `Remediation waits until ${listed} is gone, which belongs to an earlier Machine or to something else; delete it, or its finalizer if its controller is gone`,
    },
  ];
}
