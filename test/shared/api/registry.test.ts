import { describe, expect, it } from "vitest";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../shared/api/core.ts";
import { KINDS, kindOf } from "../../../shared/api/registry.ts";

describe("the registry of kinds", () => {
  it("finds a kind by group and name", () => {
    expect(kindOf("cluster.x-k8s.io", "Cluster")).toBe(Cluster);
    expect(kindOf("", "Node")).toBe(Node);
  });

  it("does not know provider kinds, nor a kind under another group", () => {
    expect(kindOf("infrastructure.cluster.x-k8s.io", "DockerMachinePool")).toBeUndefined();
    expect(kindOf("example.com", "Cluster")).toBeUndefined();
  });

  it("has every kind once, with one plural per group", () => {
    expect(new Set(KINDS.map(({ group, kind }) => `${group}/${kind}`)).size).toBe(KINDS.length);
    expect(new Set(KINDS.map(({ group, plural }) => `${group}/${plural}`)).size).toBe(KINDS.length);
  });

  it("serves no kind of Cluster API that is not complete", () => {
    const served = KINDS.filter(({ group, crd }) => group === "cluster.x-k8s.io" && crd !== undefined);
    expect(served.map(({ kind }) => kind)).toEqual(["Cluster", "MachinePool", "Machine"]);
  });

  it("has a schema for every CRD", () => {
    expect(KINDS.filter(({ crd, schema }) => (crd === undefined) !== (schema === undefined))).toEqual([]);
  });
});
