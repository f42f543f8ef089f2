import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { weightOf } from "../../../shared/rules/conditions/aggregate.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { type SummaryPart, summaryOf } from "../../../shared/rules/conditions/summary.ts";
import {
  LATE_DELETION_MS,
  LATE_DRAIN_MS,
  likelyDelays,
} from "../../../shared/rules/machines/slow-deletion.ts";

interface Reported {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Gate {
  readonly conditionType: string;
  readonly polarity?: "Positive" | "Negative" | undefined;
}

const OWN: readonly Gate[] = [
  { conditionType: "Deleting", polarity: "Negative" },
  { conditionType: "Updating", polarity: "Negative" },
  { conditionType: "BootstrapConfigReady" },
  { conditionType: "InfrastructureReady" },
  { conditionType: "NodeHealthy" },
];
const HEALTH_CHECK: Gate = { conditionType: "HealthCheckSucceeded" };

/** Expected while the Machine is being deleted: what it consists of goes. */
const GOES = new Set(["ObjectDeleted", "ObjectDoesNotExist", "NodeDeleted", "NodeDoesNotExist"]);
const GOING_TYPES = new Set(["BootstrapConfigReady", "InfrastructureReady", "NodeHealthy"]);

/** The condition `Ready` out of the conditions as they will be, those of others included. */
export function readyCondition(
  machine: Machine,
  conditions: readonly Reported[],
  now: Date,
): DesiredCondition {
  const reported = new Map(conditions.map((each) => [each.type, each]));
  const gates = [
    ...OWN,
    ...(reported.has(HEALTH_CHECK.conditionType) ? [HEALTH_CHECK] : []),
    ...(machine.spec.readinessGates ?? []),
  ];
  const parts = gates.map((gate) =>
    partOf(machine, gate, { reported: reported.get(gate.conditionType), now }),
  );
  const { status, reason, message } = summaryOf(withComponents(parts), {
    issue: "NotReady",
    unknown: "ReadyUnknown",
    good: "Ready",
  });
  return condition("Ready", status, reason, message);
}

function partOf(
  machine: Machine,
  { conditionType: type, polarity }: Gate,
  { reported, now }: { readonly reported: Reported | undefined; readonly now: Date },
): SummaryPart {
  if (reported === undefined) return { type, weight: "unknown", text: "Condition not yet reported" };
  const { status, reason = "", message = "" } = reported;
  if (isDeleting(machine) && GOING_TYPES.has(type) && GOES.has(reason))
    return { type, weight: "good", text: "" };
  const weight = weightOf(status, polarity === "Negative" ? "negative" : "positive");
  if (type === "Deleting" && weight === "issue")
    return { type, weight, text: deletingLine(machine, reported, now) };
  return { type, weight, text: message === "" && weight !== "good" ? reason : message };
}

/** The stage, and why it takes long. The whole message is that of the condition `Deleting`. */
function deletingLine(machine: Machine, { reason = "", message = "" }: Reported, now: Date): string {
  if (ageOf(machine.metadata.deletionTimestamp, now) <= LATE_DELETION_MS)
    return `Machine deletion in progress, stage: ${reason}`;
  const drainsLate =
    reason === "DrainingNode" && ageOf(machine.status?.deletion?.nodeDrainStartTime, now) > LATE_DRAIN_MS;
  const delays = drainsLate ? likelyDelays(message).join(", ") : "";
  const since = "Machine deletion in progress since more than 15m";
  return `${since}, stage: ${reason}${delays === "" ? "" : `, delay likely due to ${delays}`}`;
}

/** Returns the age in ms; 0 for an instant that is not known. */
function ageOf(since: string | undefined, now: Date): number {
  const at = Date.parse(since ?? "");
  return Number.isNaN(at) ? 0 : now.getTime() - at;
}

/** Returns when the line of `Deleting` changes by the clock alone; `undefined` = never again. */
export function lateInMs({ metadata, status }: Machine, now: Date): number | undefined {
  const limits = [
    [metadata.deletionTimestamp, LATE_DELETION_MS],
    [status?.deletion?.nodeDrainStartTime, LATE_DRAIN_MS],
  ] as const;
  const remaining = limits.flatMap(([since, limitMs]) => {
    // The line changes once more than the limit has passed.
    const left = since === undefined ? 0 : limitMs - ageOf(since, now) + SECOND;
    return left > 0 ? [left] : [];
  });
  return remaining.length === 0 ? undefined : Math.min(...remaining);
}

const COMPONENT = /^(?:APIServer|ControllerManager|Scheduler|EtcdPodHealthy)/;

/** Components of a control plane that all say the same are one line. */
function withComponents(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const components = parts.filter(({ type, weight }) => weight !== "good" && COMPONENT.test(type));
  const [first] = components;
  if (first === undefined || components.length < 2) return parts;
  if (components.some(({ text, weight }) => text !== first.text || weight !== first.weight)) return parts;
  return parts.flatMap((part) => {
    if (part === first) return [{ ...first, type: "Control plane components" }];
    return components.includes(part) ? [] : [part];
  });
}
