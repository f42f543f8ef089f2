import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
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
import { ownerOfRequest, type RequestOwner } from "./request.ts";
import type { Requests } from "./request-reads.ts";

const TYPE = EXTERNAL_MARK.type;
const MAX_NAMES = 3;

/** The condition of a Machine whose request the API server refuses. The words of the server are in an Event. */
export const CREATION_FAILED = condition(
  TYPE,
  "False",
  "RemediationRequestCreationFailed",
  "Please check controller logs for errors",
);

/** Returns `FooRemediationTemplate default/t` */
export function templateName({ metadata, spec }: MachineHealthCheck): string {
  const { kind = "", name = "" } = spec.remediation?.templateRef ?? {};
  return `${kind} ${metadata.namespace ?? ""}/${name}`;
}

/** Returns the condition of a Machine whose template cannot be read. */
export function templateNotFound(named: string, why?: string): DesiredCondition {
  const message = `Error retrieving remediation template ${named}${why === undefined ? "" : `: ${why}`}`;
  return condition(TYPE, "False", "RemediationTemplateNotFound", message);
}

/**
 * Says why a Machine that waits for an external controller has no request, or that it has one after all. Only while the
 * condition is False: then it is not the turn of `mhc-machines`, and the external controller has another reason.
 * Differs: upstream sets these in memory and writes them nowhere.
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

/** Takes the failures of those back that have their requests now. */
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
 * Names what has the name of a request that an unhealthy Machine therefore does not get: the request of an earlier
 * Machine, which its controller has not let go, an object without any Machine among its owners, or an infrastructure
 * machine that is not adopted yet, which must not be deleted: the template is the wrong one.
 */
export function occupiedNotices(judged: readonly Judged[], requests: Requests): readonly Notice[] {
  const occupied = judged.flatMap(({ machine, verdict }) => {
    const request = requests.get(machine.metadata.name);
    if (verdict.is !== "unhealthy" || request === undefined) return [];
    return [{ owner: ownerOfRequest(request, machine), name: `${request.kind} ${request.metadata.name}` }];
  });
  const listed = (owners: readonly RequestOwner[]): string => {
    const names = occupied.filter(({ owner }) => owners.includes(owner)).map(({ name }) => name);
    return listNames(names.toSorted(compareText), MAX_NAMES);
  };
  const [others, parts] = [listed(["former", "foreign"]), listed(["part"])];
  return [
    ...notice(
      others,
      `Remediation waits until ${others} is gone, which belongs to an earlier Machine or to something else; delete it, or its finalizer if its controller is gone`,
    ),
    ...notice(
      parts,
      `Remediation waits for another spec.remediation.templateRef: Machines consist of ${parts}, which is not a request; keep it, and reference the template of a remediation controller`,
    ),
  ];
}

function notice(listed: string, message: string): readonly Notice[] {
  return listed === "" ? [] : [{ type: "Warning", reason: "RemediationBlocked", message }];
}
