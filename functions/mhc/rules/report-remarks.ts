import type { Scene } from "./reads.ts";

/** The statuses that Kubernetes writes. */
const STATUSES: ReadonlySet<string> = new Set(["True", "False", "Unknown"]);

/**
 * Names the conditions of Nodes that a health check looks for and none of its Nodes has, so that they never fail: a type
 * that all of them lack, or a status that Kubernetes does not know. Admission takes both.
 */
export function remarksOf({ check, nodes = new Map() }: Pick<Scene, "check" | "nodes">): readonly string[] {
  const seen = [...nodes.values()].map(({ status }) => status?.conditions ?? []);
  return (check.spec.checks?.unhealthyNodeConditions ?? []).flatMap(({ type, status }, index) => {
    const field = `spec.checks.unhealthyNodeConditions[${index}]`;
    const found = seen.flatMap((conditions) => conditions.filter((one) => one.type === type));
    if (seen.length > 0 && found.length === 0) {
      return [`${field}: no Node of its targets has a condition ${type}, so it never fails`];
    }
    if (STATUSES.has(status) || found.some((one) => one.status === status)) return [];
    return [
      `${field}: no Node has the status "${status}", so it never fails; a condition of a Node is True, False or Unknown`,
    ];
  });
}
