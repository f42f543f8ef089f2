import type { Workers } from "../../../shared/api/cluster/workers.ts";
import { CLUSTER_GROUP } from "../../../shared/api/kinds.ts";
import { traitsOf, type WorkerCondition } from "../../../shared/api/traits.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { type Aggregation, aggregate, type Reporter } from "../../../shared/rules/conditions/aggregate.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
  mirrorCondition,
  mirroredFields,
} from "../../../shared/rules/conditions/conditions.ts";

/**
 * The fields of workers whose change is worth a new aggregate. Not the messages of conditions that stay as they are: they
 * change at every step of every pool.
 */
export const WORKER_CONDITION_FIELDS = [
  "status.conditions[Available].status",
  "status.conditions[RollingOut].status",
  "status.conditions[ScalingUp].status",
  "status.conditions[ScalingDown].status",
] as const;
/** The fields of a control plane object that take part. */
export const CONTROL_PLANE_CONDITION_FIELDS = mirroredFields("RollingOut", "ScalingUp", "ScalingDown");

/** An aggregate of the Cluster and what it says when no object takes part. */
interface ClusterAggregate {
  readonly type: string;
  readonly rule: Aggregation & { readonly source: WorkerCondition };
  readonly none: { readonly status: "True" | "False"; readonly reason: string };
  /** The control plane object takes part if it reports the condition. */
  readonly ofControlPlane: boolean;
}

/** A condition that is True during an operation. */
function progress(type: "RollingOut" | "ScalingUp" | "ScalingDown"): ClusterAggregate {
  const reasons = { issue: type, unknown: `${type}Unknown`, good: `Not${type}` };
  return {
    type,
    rule: { source: type, polarity: "negative", reasons },
    none: { status: "False", reason: reasons.good },
    ofControlPlane: true,
  };
}

const AGGREGATES: readonly ClusterAggregate[] = [
  {
    // Differs: MachinePools that report Available count; upstream leaves them out and says NoWorkers.
    type: "WorkersAvailable",
    rule: {
      source: "Available",
      polarity: "positive",
      reasons: { issue: "NotAvailable", unknown: "AvailableUnknown", good: "Available" },
    },
    none: { status: "True", reason: "NoWorkers" },
    ofControlPlane: false,
  },
  progress("RollingOut"),
  progress("ScalingUp"),
  progress("ScalingDown"),
];

/** Returns every condition that pools, deployments and sets feed. */
export function workerConditions(
  workers: readonly Workers[],
  controlPlane: Referenced | undefined,
): readonly DesiredCondition[] {
  return AGGREGATES.map(({ type, rule, none, ofControlPlane }) => {
    if (ofControlPlane && controlPlane?.state === "unresolved") {
      return condition(type, "Unknown", "InternalError", controlPlane.message);
    }
    const reporters = [
      ...(ofControlPlane ? reportersOfControlPlane(controlPlane, rule.source) : []),
      ...workers.flatMap((worker) => reporterOf(worker, rule.source)),
    ];
    const verdict = reporters.length === 0 ? { ...none, message: "" } : aggregate(rule, reporters);
    return condition(type, verdict.status, verdict.reason, verdict.message);
  });
}

function reporterOf(worker: Workers, source: WorkerCondition): readonly Reporter[] {
  const reported = conditionOf(worker.status?.conditions, source);
  const part = traitsOf({ group: CLUSTER_GROUP, kind: worker.kind }).workers?.conditions[source];
  const takesPart = part === "expected" || (part === "reported" && reported !== undefined);
  return takesPart ? [{ kind: worker.kind, name: worker.metadata.name, condition: reported }] : [];
}

function reportersOfControlPlane(controlPlane: Referenced | undefined, source: string): readonly Reporter[] {
  if (controlPlane?.state !== "found") return [];
  const reported = mirrorCondition(controlPlane.object, source, source);
  const { kind, metadata } = controlPlane.object;
  return reported === undefined ? [] : [{ kind, name: metadata.name, condition: reported }];
}
