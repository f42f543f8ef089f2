import { describe, expect, it } from "vitest";
import { awaitsTopology } from "../../../../shared/rules/coexistence/topology.ts";
import { cluster } from "../../../support/builders.ts";

describe("provider objects of a Cluster", () => {
  it("are awaited from a topology until it has generated both references", () => {
    const topology = { classRef: { name: "class" }, version: "v1.34.0" };
    expect(awaitsTopology(cluster({ spec: { topology } }))).toBe(false);
    expect(awaitsTopology(cluster({ spec: { topology, infrastructureRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { topology, controlPlaneRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { controlPlaneRef: undefined } }))).toBe(false);
  });
});
