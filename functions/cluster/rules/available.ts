import { type MergedCondition, weightOf } from "../../../shared/rules/conditions/aggregate.ts";
import { type SummaryPart, summaryOf } from "../../../shared/rules/conditions/summary.ts";

interface Reported {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface AvailabilityGate {
  readonly conditionType: string;
  readonly polarity?: string | undefined;
}

export interface SummaryInput {
  readonly deleting: boolean;
  readonly topology: boolean;
  /** Why `TopologyReconciled` will never be reported; absent: it may be. */
  readonly withoutTopology?: string | undefined;
  readonly gates: readonly AvailabilityGate[];
  /** The Cluster's conditions as they will be, those of other writers included. */
  readonly conditions: readonly Reported[];
}

const ORDER: readonly AvailabilityGate[] = [
  { conditionType: "Deleting", polarity: "Negative" },
  { conditionType: "RemoteConnectionProbe" },
  { conditionType: "InfrastructureReady" },
  { conditionType: "ControlPlaneAvailable" },
  { conditionType: "WorkersAvailable" },
];
const TOPOLOGY: AvailabilityGate = { conditionType: "TopologyReconciled" };

/** False reasons of `TopologyReconciled` that are issues; the others say that something is under way. */
const TOPOLOGY_ISSUES = new Set(["ReconcileFailed", "ClusterClassNotReconciled"]);
/** Expected states of the provider objects while the Cluster is being deleted. */
const GONE_WHILE_DELETING = new Set(["ObjectDeleted", "ObjectDoesNotExist"]);
const PROVIDER_TYPES = new Set(["InfrastructureReady", "ControlPlaneAvailable"]);

/**
 * The condition `Available`: summary of the Cluster's own conditions and its availability gates, one line per
 * condition that is not good.
 */
export function summarize(input: SummaryInput): MergedCondition {
  const reported = new Map(input.conditions.map((condition) => [condition.type, condition]));
  const withTopology = input.topology || reported.has(TOPOLOGY.conditionType);
  const gates = [...ORDER, ...(withTopology ? [TOPOLOGY] : []), ...input.gates];
  const parts = gates.map((gate) => partOf(gate, reported.get(gate.conditionType), input));
  return summaryOf(parts, { issue: "NotAvailable", unknown: "AvailableUnknown", good: "Available" });
}

function partOf(
  gate: AvailabilityGate,
  condition: Reported | undefined,
  { deleting, withoutTopology }: SummaryInput,
): SummaryPart {
  const type = gate.conditionType;
  if (condition === undefined) {
    const why = type === TOPOLOGY.conditionType ? withoutTopology : undefined;
    return { type, weight: "unknown", text: why ?? "Condition not yet reported" };
  }
  const polarity = gate.polarity === "Negative" ? "negative" : "positive";
  const weight = isExpected(condition, deleting) ? "good" : weightOf(condition.status, polarity);
  const message = condition.message ?? "";
  return { type, weight, text: message === "" && weight !== "good" ? (condition.reason ?? "") : message };
}

function isExpected(condition: Reported, deleting: boolean): boolean {
  const reason = condition.reason ?? "";
  if (PROVIDER_TYPES.has(condition.type)) return deleting && GONE_WHILE_DELETING.has(reason);
  return (
    condition.type === TOPOLOGY.conditionType && condition.status === "False" && !TOPOLOGY_ISSUES.has(reason)
  );
}
