import { describe, expect, it } from "vitest";
import { MachineDrainRule } from "../../../../shared/api/machine/machine-drain-rule.ts";

function accepts(spec: unknown): boolean {
  const identity = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDrainRule",
    metadata: { name: "r" },
  };
  return MachineDrainRule.schema?.().safeParse({ ...identity, spec }).success === true;
}

const drain = { behavior: "Skip" };

describe("a MachineDrainRule", () => {
  it("needs a behaviour, and knows three", () => {
    for (const behavior of ["Drain", "Skip", "WaitCompleted"])
      expect(accepts({ drain: { behavior } })).toBe(true);
    expect(accepts({ drain: { behavior: "Evict" } })).toBe(false);
    expect(accepts({ drain: { order: 1 } })).toBe(false);
    expect(accepts({})).toBe(false);
  });

  it("has an order of 32 bits, below 0 too", () => {
    expect(accepts({ drain: { behavior: "Drain", order: -2_147_483_648 } })).toBe(true);
    expect(accepts({ drain: { behavior: "Drain", order: 2_147_483_648 } })).toBe(false);
  });

  it("selects by 1 to 32 entries, of which none is empty", () => {
    const entry = { selector: { matchLabels: { a: "b" } } };
    expect(accepts({ drain, machines: [entry], pods: Array.from({ length: 32 }, () => entry) })).toBe(true);
    expect(accepts({ drain, pods: [] })).toBe(false);
    expect(accepts({ drain, machines: [{}] })).toBe(false);
    expect(accepts({ drain, pods: Array.from({ length: 33 }, () => entry) })).toBe(false);
  });
});
