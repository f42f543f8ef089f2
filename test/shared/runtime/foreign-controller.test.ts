import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { refuseBesideForeign } from "../../../shared/runtime/foreign-controller.ts";

const NOW = new Date("2026-01-01T00:00:00Z");

function machine(metadata: object): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: { name: "m1", namespace: "default", ...metadata },
  };
}

describe("an object that another controller changes, too", () => {
  const foreign = { manager: "manager", until: "2026-01-01T00:10:00.000Z" };

  it("is left alone until that has been quiet for 10 minutes (D-905)", () => {
    expect(() => refuseBesideForeign(machine({ foreign }), NOW)).toThrow(
      /^manager has changed fields of Capstan on Machine default\/m1 three times/,
    );
    refuseBesideForeign(machine({ foreign }), new Date(foreign.until));
    refuseBesideForeign(machine({}), NOW);
  });

  it("may still say that it is paused", () => {
    refuseBesideForeign(machine({ foreign, annotations: { "cluster.x-k8s.io/paused": "" } }), NOW);
  });
});
