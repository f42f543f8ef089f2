import { describe, expect, it } from "vitest";
import { remarksOf } from "../../../../functions/mhc/rules/report-remarks.ts";
import type { Node } from "../../../../shared/api/core.ts";
import { badNode } from "../../../support/checked-machines.ts";
import { healthCheck } from "../../../support/health-checks.ts";

function remarks(type: string, status: string, ...nodes: readonly Node[]) {
  const wanted = [
    { type: "Ready", status: "False", timeoutSeconds: 1 },
    { type, status, timeoutSeconds: 1 },
  ];
  const check = healthCheck({ spec: { checks: { unhealthyNodeConditions: wanted } } });
  return remarksOf({ check, nodes: new Map(nodes.map((node) => [node.metadata.name, node])) });
}

const FIELD = "spec.checks.unhealthyNodeConditions[1]";

describe("remarks about a health check", () => {
  it("name a status that no Node has, with or without Nodes", () => {
    const text = `${FIELD}: no Node has the status "Bad", so it never fails; a condition of a Node is True, False or Unknown`;
    expect(remarks("Ready", "Bad", badNode("n1"))).toEqual([text]);
    expect(remarks("Ready", "Bad")).toEqual([text]);
  });

  it("name a condition that all Nodes lack, once there are Nodes", () => {
    expect(remarks("Redy", "False", badNode("n1"), badNode("n2"))).toEqual([
      `${FIELD}: no Node of its targets has a condition Redy, so it never fails`,
    ]);
    expect(remarks("Redy", "False")).toEqual([]);
  });

  it("are missing for what Kubernetes knows, and for what a Node has", () => {
    expect(remarks("Ready", "Unknown", badNode("n1"))).toEqual([]);
    const [condition] = badNode("n1").status?.conditions ?? [];
    const odd = {
      ...badNode("n1"),
      status: { conditions: [{ ...condition, type: "Ready", status: "Bad" }] },
    };
    expect(remarks("Ready", "Bad", odd as Node)).toEqual([]);
  });

  it("are missing for a health check of Machines alone", () => {
    expect(remarksOf({ check: healthCheck({ spec: { checks: undefined } }), nodes: undefined })).toEqual([]);
  });
});
