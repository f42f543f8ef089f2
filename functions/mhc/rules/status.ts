import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineHealthCheck, MachineHealthCheckStatus } from "../../../shared/api/machinehealthcheck.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { done, type Result, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
  setConditions,
  timestamp,
} from "../../../shared/rules/conditions/conditions.ts";
import { setDeprecatedConditions } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { refusedReasons } from "../../../shared/rules/metadata/refused-write.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { externalConditions, olderAllowed, withoutExternal } from "./deprecated-conditions.ts";
import { overlapText } from "./overlap.ts";
import type { CheckView, Counted } from "./view.ts";

const ALLOWED = "RemediationAllowed";
const MAX_TARGETS = 10_000;
const FLOOR_MS_PER_TARGET = 10;

/** Returns what is said about a health check that is not paused, whether it lives or is being deleted. */
export function checkReport(view: CheckView): StatusReport<MachineHealthCheckStatus> {
  const { check, cluster, found, now } = view;
  if (found === "unseen") {
    const status = pausedCheckStatus(check, cluster, now);
    return { status, events: [], result: waitFor("Connection.status.nodesComplete") };
  }
  if ("problem" in found) {
    const { problem } = found;
    return { status: statusOf(view, problem), events: restricted(check, problem, now), result: done };
  }
  const { budget, targets } = found;
  const message = budget.isAllowed ? undefined : budget.message;
  const isWorthTelling = budget.unhealthy > 0 || budget.hasProblem;
  return {
    status: { ...statusOf(view, message, found), ...countsOf(view, found) },
    events: [
      ...(message !== undefined && isWorthTelling ? restricted(check, message, now) : []),
      ...tooMany(check, targets.length),
      ...overlapping(view, found),
    ],
    result: nextRun(view, found),
  };
}

/**
 * Returns the least time between two looks at all targets, in ms: most changes of one of them change no count. Small
 * health checks need none.
 */
export function floorMs({ found }: CheckView): number {
  return typeof found === "object" && "targets" in found
    ? Math.min(SECOND, found.targets.length * FLOOR_MS_PER_TARGET)
    : 0;
}

/** Returns everything as it was, but for `Paused`. */
export function pausedCheckStatus(
  check: MachineHealthCheck,
  cluster: Cluster,
  now: Date,
): MachineHealthCheckStatus {
  return { ...check.status, conditions: conditionsOf(check, [pausedOf(check, cluster)], now) };
}

/** Numbers and names, of this generation of the spec. */
function countsOf({ check, settled }: CheckView, { budget, targets }: Counted): MachineHealthCheckStatus {
  const { expectedMachines, currentHealthy, remediationsAllowed } = budget;
  const { generation } = check.metadata;
  return {
    expectedMachines,
    currentHealthy,
    remediationsAllowed,
    targets: targets.slice(0, MAX_TARGETS).map(({ metadata }) => metadata.name),
    ...present("observedGeneration", settled ? generation : check.status?.observedGeneration),
  };
}

/** Returns everything but the counts; `message`: why nothing is remediated. */
function statusOf(
  { check, cluster, now }: CheckView,
  message: string | undefined,
  counted?: Counted,
): MachineHealthCheckStatus {
  const allowed =
    message === undefined
      ? condition(ALLOWED, "True", ALLOWED, refusedReasons(check).join(""))
      : condition(ALLOWED, "False", "TooManyUnhealthy", message);
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const stored = check.status?.deprecated?.v1beta1?.conditions;
  const older = isExternal ? stored : withoutExternal(stored);
  const external = isExternal && counted !== undefined ? externalConditions(check, counted) : [];
  const conditions = setDeprecatedConditions(older, [olderAllowed(message), ...external], now);
  return {
    ...check.status,
    conditions: conditionsOf(check, [pausedOf(check, cluster), allowed], now),
    deprecated: { v1beta1: { ...check.status?.deprecated?.v1beta1, conditions } },
  };
}

function conditionsOf(
  { status, metadata }: MachineHealthCheck,
  desired: readonly DesiredCondition[],
  now: Date,
) {
  return setConditions(status?.conditions, desired, now, metadata.generation);
}

function pausedOf(check: MachineHealthCheck, cluster: Cluster): DesiredCondition {
  return pausedCondition(cluster, check, "MachineHealthCheck");
}

/** A new text only, also one that was there before. Differs: upstream repeats it in every pass. */
function restricted({ status }: MachineHealthCheck, message: string, now: Date): readonly Notice[] {
  const stored = conditionOf(status?.conditions, ALLOWED);
  if (stored?.status === "False" && stored.message === message) return [];
  return [{ type: "Warning", reason: "RemediationRestricted", message, occasion: timestamp(now) }];
}

/** Returns the Event when the number is passed. Differs: upstream writes more names, and its status is refused. */
function tooMany({ status }: MachineHealthCheck, count: number): readonly Notice[] {
  if (count <= MAX_TARGETS || (status?.expectedMachines ?? 0) > MAX_TARGETS) return [];
  return [
    {
      type: "Warning",
      reason: "TooManyTargets",
      message: `The health check selects ${count} Machines; status.targets names the first ${MAX_TARGETS}; split it by labels`,
    },
  ];
}

/** Returns an Event with each new spec: of Machines that come later `explain` knows. */
function overlapping({ check, settled }: CheckView, { checks, targets }: Counted): readonly Notice[] {
  if (!settled || check.status?.observedGeneration === check.metadata.generation) return [];
  const message = overlapText({ check, checks, targets });
  return message === undefined ? [] : [{ type: "Warning", reason: "OverlappingHealthChecks", message }];
}

/** Only while nothing is remediated does the message count the unhealthy targets. */
function nextRun({ now }: CheckView, { budget, verdicts }: Counted): Result {
  if (budget.isAllowed) return done;
  const times = verdicts.flatMap((verdict) => (verdict.is === "pending" ? [verdict.untilMs] : []));
  if (times.length === 0) return done;
  const untilMs = times.reduce((a, b) => Math.min(a, b));
  return requeueAfter(untilMs - now.getTime(), "the next deadline of a target");
}
