import { describe, expect, it } from "vitest";
import { targetsOf } from "../../../../functions/mhc/rules/targets.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { LabelSelector } from "../../../../shared/api/meta.ts";
import { healthCheck, target } from "../../../support/health-checks.ts";

const MALFORMED: LabelSelector = { matchExpressions: [{ key: "tier", operator: "Like", values: ["a"] }] };

function names(selector: LabelSelector, ...machines: readonly Machine[]): readonly string[] | string {
  const check = healthCheck();
  const found = targetsOf({ ...check, spec: { ...check.spec, selector } }, machines);
  return "problem" in found ? found.problem : found.machines.map(({ metadata }) => metadata.name);
}

const TIER_A: LabelSelector = { matchLabels: { tier: "a" } };

describe("the targets of a health check", () => {
  it("are the Machines that it selects, by name", () => {
    const other = target("m0", { metadata: { labels: { tier: "b" } } });
    expect(names(TIER_A, target("m10"), target("m2"), target("m1"), other)).toEqual(["m1", "m10", "m2"]);
    const selector = { matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }] };
    expect(names(selector, target("m1"), other)).toEqual(["m0", "m1"]);
  });

  it.each([
    ["by label", target("m1", { metadata: { labels: { "cluster.x-k8s.io/cluster-name": "c2" } } })],
    ["without label", target("m1", { metadata: { labels: { "cluster.x-k8s.io/cluster-name": undefined } } })],
    ["by spec", target("m1", { spec: { clusterName: "c2" } })],
  ])("are of its own Cluster, not of another one %s", (_, machine) => {
    expect(names(TIER_A, machine)).toEqual([]);
  });

  it.each(["cluster.x-k8s.io/paused", "cluster.x-k8s.io/skip-remediation"])(
    "leave out a Machine with the annotation %s, whatever its value and its other annotations",
    (annotation) => {
      for (const value of ["", "false"]) {
        const annotations = { [annotation]: value, "cluster.x-k8s.io/remediate-machine": "" };
        expect(names(TIER_A, target("m1", { metadata: { annotations } }))).toEqual([]);
      }
    },
  );

  it("have those that are being deleted, control plane Machines and Machines of no one among them", () => {
    const deleting = target("m1", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } });
    const ofControlPlane = target("m2", { metadata: { labels: { "cluster.x-k8s.io/control-plane": "" } } });
    expect(names(TIER_A, deleting, ofControlPlane, target("m3"))).toEqual(["m1", "m2", "m3"]);
  });

  it("are missing, with the reason, for an empty or malformed selector", () => {
    const empty = "spec.selector: is empty; name labels of the Machines that it checks";
    expect(names({}, target())).toBe(empty);
    expect(names({ matchLabels: {}, matchExpressions: [] }, target())).toBe(empty);
    expect(names(MALFORMED, target())).toMatch(
      /^spec\.selector: matchExpressions\[0\]\.operator is Like; write In, /,
    );
  });
});
