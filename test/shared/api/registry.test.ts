import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { KINDS, kindOf } from "../../../shared/api/registry.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import { isContractKind } from "../../../shared/function/define-function.ts";

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

  it("has the kinds of Cluster API that functions write or read live, and no others but those served only", async () => {
    const functions = await loadFunctions();
    const written = functions.flatMap(({ spec }) => [
      spec.reconciles,
      // A rule that people write, and that only the drain reads.
      ...(spec.readsLive ?? []),
      ...(spec.ownsOn ?? []).map(({ kind }) => kind),
      ...(spec.calls ?? []).filter(({ verb }) => verb === "create").map(({ kind }) => kind),
    ]);
    const ofClusterApi = (kind: Kind) =>
      kind.group === "cluster.x-k8s.io" && kind.crd !== undefined && !traitsOf(kind).isServedOnly;
    const served = KINDS.filter(ofClusterApi).map(({ kind }) => kind);
    const wanted = written.flatMap((on) =>
      !isContractKind(on) && on.group === "cluster.x-k8s.io" ? [on.kind] : [],
    );
    expect(new Set(served)).toEqual(new Set([...wanted, "MachineDeployment"]));
    expect(served).toContain("MachinePool");
  });

  it("has a schema for every CRD", () => {
    expect(KINDS.filter(({ crd, schema }) => (crd === undefined) !== (schema === undefined))).toEqual([]);
  });
});
