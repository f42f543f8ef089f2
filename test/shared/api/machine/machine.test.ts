import { describe, expect, it } from "vitest";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { machine } from "../../../support/builders.ts";

function accepts(object: unknown): boolean {
  return Machine.schema?.().safeParse(object).success === true;
}

describe("a Machine", () => {
  it("of a pool has neither configRef nor a data secret", () => {
    expect(accepts(machine())).toBe(true);
  });

  it("is refused without infrastructure, with an unknown phase, or with half of a Node's facts", () => {
    expect(accepts(machine("m1", { spec: { infrastructureRef: undefined } }))).toBe(false);
    expect(accepts({ ...machine(), status: { phase: "Sleeping" } })).toBe(false);
    expect(accepts({ ...machine(), status: { nodeInfo: { kubeletVersion: "v1.34.2" } } })).toBe(false);
    expect(accepts({ ...machine(), status: {} })).toBe(false);
  });

  it("is found by its Cluster and by the provider objects that it references", () => {
    expect(Machine.clusterNamePath).toBe("spec.clusterName");
    expect(Machine.references).toEqual(["spec.bootstrap.configRef", "spec.infrastructureRef"]);
  });
});
