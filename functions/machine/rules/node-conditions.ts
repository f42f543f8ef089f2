import type { Node, NodeCondition } from "../../../shared/api/core.ts";
import { time } from "../../../shared/api/meta.ts";
import { type Weight, weightOf, worstOf } from "../../../shared/rules/conditions/aggregate.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";

/** The fields of a Node that `nodeConditions` reads. */
export const NODE_CONDITION_FIELDS = [
  "status.conditions[Ready]",
  "status.conditions[MemoryPressure]",
  "status.conditions[DiskPressure]",
  "status.conditions[PIDPressure]",
] as const;

const JUDGED = [
  ["Ready", "positive"],
  ["MemoryPressure", "negative"],
  ["DiskPressure", "negative"],
  ["PIDPressure", "negative"],
] as const;

interface Verdict {
  readonly type: string;
  readonly weight: Weight;
  readonly text: string;
}

/** Returns `NodeReady` and `NodeHealthy` of a Machine whose Node was found. */
export function nodeConditions(node: Node): readonly DesiredCondition[] {
  return [readyCondition(node), healthyCondition(node)];
}

const READY_REASONS = { good: "NodeReady", issue: "NodeNotReady", unknown: "NodeReadyUnknown" } as const;
const HEALTHY_REASONS = {
  good: "NodeHealthy",
  issue: "NodeNotHealthy",
  unknown: "NodeHealthyUnknown",
} as const;
const STATUSES = { good: "True", issue: "False", unknown: "Unknown" } as const;

function readyCondition(node: Node): DesiredCondition {
  const reported = reportedBy(node, "Ready");
  const verdict = verdictOn(reported, "Ready", "positive");
  const { weight } = verdict;
  const text = weight === "good" ? "" : lineOf(verdict);
  return {
    ...condition("NodeReady", STATUSES[weight], READY_REASONS[weight], text),
    changedAt: time.safeParse(reported?.lastTransitionTime).success
      ? reported?.lastTransitionTime
      : undefined,
  };
}

function healthyCondition(node: Node): DesiredCondition {
  const verdicts = JUDGED.map(([type, polarity]) => verdictOn(reportedBy(node, type), type, polarity));
  const worst = worstOf(verdicts.map(({ weight }) => weight));
  const lines = verdicts.filter(({ weight }) => weight !== "good");
  return condition("NodeHealthy", STATUSES[worst], HEALTHY_REASONS[worst], together(lines));
}

/** Several with one and the same text, as those of a Node whose kubelet is silent, are one line. */
function together(lines: readonly Verdict[]): string {
  const [first] = lines;
  if (first !== undefined && lines.length > 1 && lines.every(({ text }) => text === first.text))
    return lineOf({ ...first, type: "AllConditions" });
  return lines.map(lineOf).join("\n");
}

function lineOf({ type, text }: Verdict): string {
  return `* Node.${type}: ${text}`;
}

function verdictOn(
  reported: NodeCondition | undefined,
  type: string,
  polarity: "positive" | "negative",
): Verdict {
  if (reported === undefined) return { type, weight: "unknown", text: "Condition not yet reported" };
  const { status, message = "" } = reported;
  return {
    type,
    weight: weightOf(status, polarity),
    text: message === "" ? `Condition is ${status}` : message,
  };
}

function reportedBy({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((reported) => reported.type === type);
}
