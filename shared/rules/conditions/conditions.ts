import type { Condition, ConditionStatus } from "../../api/conditions.ts";
import type { KubeObject } from "../../api/kinds.ts";
import { time } from "../../api/meta.ts";
import { valueAt } from "../../api/path.ts";
import { truncate } from "./truncate.ts";

/** A condition as a rule wants it; `setConditions` adds the times. */
export interface DesiredCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** When the status changed, if that is known better than by `now` (copied conditions). */
  readonly changedAt?: string | undefined;
}

/** Narrower than the schema (1024 and 32768), so that every older copy of a condition has room for them too. */
const MAX_REASON = 256;
const MAX_MESSAGE = 10_240;

/** `reason` is CamelCase; `message` may be empty. Both are cut to 256 and 10240. */
export function condition(
  type: string,
  status: ConditionStatus,
  reason: string,
  message = "",
): DesiredCondition {
  return { type, status, reason: reason.slice(0, MAX_REASON), message: truncate(message, MAX_MESSAGE) };
}

/**
 * The whole list to apply: `desired` in place of the previous entries of those types, all others as they are, in the
 * order in which people read them. `lastTransitionTime` moves only when the status changes; `generation` is the one that was read.
 */
export function setConditions(
  previous: readonly Condition[] | undefined,
  desired: readonly DesiredCondition[],
  now: Date,
  generation: number | undefined,
): readonly Condition[] {
  const byType = new Map((previous ?? []).map((stored) => [stored.type, stored]));
  for (const { changedAt, ...wanted } of desired) {
    const stored = byType.get(wanted.type);
    byType.set(wanted.type, {
      ...wanted,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime:
        stored?.status === wanted.status ? stored.lastTransitionTime : (changedAt ?? timestamp(now)),
    });
  }
  return [...byType.values()].sort((a, b) => rankOf(a.type) - rankOf(b.type) || compareText(a.type, b.type));
}

/** The order of Cluster API; types that it does not name stand at the empty one, by name. Source: util/conditions/sort.go */
const ORDER = [
  ...[
    "Available",
    "Ready",
    "UpToDate",
    "RemoteConnectionProbe",
    "BootstrapConfigReady",
    "InfrastructureReady",
  ],
  ...["ControlPlaneInitialized", "ControlPlaneAvailable", "WorkersAvailable", "CertificatesAvailable"],
  ...["Initialized", "EtcdClusterHealthy", "ControlPlaneComponentsHealthy", "NodeHealthy", "NodeReady"],
  ...["NodeKubeadmLabelsAndTaintsSet", "EtcdPodHealthy", "EtcdMemberHealthy", "APIServerPodHealthy"],
  ...["ControllerManagerPodHealthy", "SchedulerPodHealthy", "HealthCheckSucceeded", "OwnerRemediated"],
  ...["TopologyReconciled", "Updating", "RollingOut", "Remediating", "ScalingDown", "ScalingUp"],
  ...["MachinesReady", "ControlPlaneMachinesReady", "WorkerMachinesReady"],
  ...["MachinesUpToDate", "ControlPlaneMachinesUpToDate", "WorkerMachinesUpToDate", "", "Paused", "Deleting"],
];
const RANKS: ReadonlyMap<string, number> = new Map(ORDER.map((type, index) => [type, index]));
const OTHERS = ORDER.indexOf("");

function rankOf(type: string): number {
  return RANKS.get(type) ?? OTHERS;
}

/** The stored condition of a type. */
export function conditionOf<T extends { readonly type: string }>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  // Not `find`: this is the hottest line of a health check, and a loop takes a third of its time.
  if (conditions !== undefined) for (const entry of conditions) if (entry.type === type) return entry;
  return undefined;
}

/** Kubernetes' form of an instant: RFC 3339 in whole seconds. */
export function timestamp(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}

/** Compares by plain code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the fields that `mirrorCondition` reads for these sources. */
export function mirroredFields(...sources: readonly string[]): readonly string[] {
  return sources.flatMap((source) => [
    `status.conditions[${source}]`,
    `status.v1beta2.conditions[${source}]`,
  ]);
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/**
 * A provider object's condition `source` under the name `type`; `undefined` when it reports none.
 * Looked for in `status.v1beta2.conditions`, then `status.conditions`; severities are ignored. `reasons` replaces a
 * reason that is missing or no CamelCase word (default: `source` when True, otherwise `NoReasonReported`). A
 * condition without a known status or with a bad time gives Unknown, `InvalidConditionReported`.
 */
export function mirrorCondition(
  object: KubeObject,
  source: string,
  type: string,
  reasons: { readonly [Status in ConditionStatus]?: string } = {},
): DesiredCondition | undefined {
  const reported =
    valueAt(object, `status.v1beta2.conditions[${source}]`) ??
    valueAt(object, `status.conditions[${source}]`);
  if (typeof reported !== "object" || reported === null) return undefined;
  const { status, reason, message, lastTransitionTime } = reported as { readonly [field: string]: unknown };
  const problem = problemOf(status, lastTransitionTime);
  if (problem !== undefined) {
    return condition(
      type,
      "Unknown",
      "InvalidConditionReported",
      `${object.kind} reports condition ${source} with ${problem}`,
    );
  }
  const known = status as ConditionStatus;
  const fallback = reasons[known] ?? (known === "True" ? source : "NoReasonReported");
  return {
    ...condition(
      type,
      known,
      typeof reason === "string" && REASON.test(reason) && reason.length <= MAX_REASON ? reason : fallback,
      typeof message === "string" ? message : "",
    ),
    ...(typeof lastTransitionTime === "string" ? { changedAt: lastTransitionTime } : {}),
  };
}

function problemOf(status: unknown, lastTransitionTime: unknown): string | undefined {
  if (!isConditionStatus(status)) return `status ${shown(status)}`;
  if (lastTransitionTime === undefined || time.safeParse(lastTransitionTime).success) return undefined;
  return `lastTransitionTime ${shown(lastTransitionTime)}`;
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : truncate(JSON.stringify(value), 100);
}

export function isConditionStatus(status: unknown): status is ConditionStatus {
  return status === "True" || status === "False" || status === "Unknown";
}
