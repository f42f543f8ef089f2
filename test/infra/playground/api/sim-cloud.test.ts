import { describe, expect, it } from "vitest";
import { SimInstance, SimServer } from "../../../../infra/playground/api/sim-cloud.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";

function bare(kind: Kind, spec: object): object {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "a", namespace: "default" },
    spec,
  };
}

describe("simulated cloud kinds", () => {
  it.each<Kind>([SimServer, SimInstance])("$kind belongs to a Cluster and follows no contract", (kind) => {
    expect(kind.clusterNamePath).toBe("spec.clusterName");
    expect(kind.crd?.labels).toBeUndefined();
    expect(kind.schema?.().safeParse(bare(kind, {})).success).toBe(false);
    expect(kind.schema?.().safeParse(bare(kind, { clusterName: "c1" })).success).toBe(true);
  });

  it("a SimInstance has one of three phases", () => {
    const object = { ...bare(SimInstance, { clusterName: "c1" }), status: { phase: "Rebooting" } };
    expect(SimInstance.schema?.().safeParse(object).success).toBe(false);
  });
});
