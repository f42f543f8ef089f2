import { describe, expect, it } from "vitest";
import { TRAITS, type Traits } from "../../shared/api/traits.ts";
import { MachineGroup, ROW } from "../support/added-kind/shared/api/machinegroup.ts";

// The row stands in the table before anything is loaded that reads it; nothing else of Capstan knows the kind.
(TRAITS as Traits[]).push(ROW);

const KIND = MachineGroup.kind;
const GROUP = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: KIND,
  metadata: { name: "g1", namespace: "default", uid: "uid-g1" },
  spec: { clusterName: "c1", replicas: 3 },
  status: { replicas: 2 },
};

describe("a kind that is added: its folder, its schema and one row of traits", () => {
  it("stands beside the others, and its functions keep every invariant", async () => {
    const { readRepository } = await import("../support/repository.ts");
    const { foreignImports } = await import("./functions/imports.ts");
    const { misplaced, unexported, unfitNames, untested } = await import("./functions/names.ts");
    const { unsettledWriters } = await import("./functions/ownership.ts");
    const repository = await readRepository("test/support/added-kind");
    expect(repository.functions.map(({ spec }) => spec.name)).toContain("machinegroup-guard");
    expect(misplaced(repository)).toEqual([]);
    expect(unfitNames(repository)).toEqual([]);
    expect(unexported(repository)).toEqual([]);
    expect(untested(repository)).toEqual([]);
    expect(foreignImports(repository.sources)).toEqual([]);
    expect(unsettledWriters(repository.functions)).toEqual([]);
  });

  it("is known and installed", async () => {
    const { kindOf } = await import("../../shared/api/registry.ts");
    const { loadCrds } = await import("../../infra/platform/crds/crd.ts");
    expect(kindOf("cluster.x-k8s.io", KIND)).toBe(MachineGroup);
    expect((await loadCrds()).map(({ metadata }) => metadata.name)).toContain(
      "machinegroups.cluster.x-k8s.io",
    );
  });

  it("goes with its Cluster, in its place", async () => {
    const { IN_DELETE_ORDER } = await import("../../functions/cluster/rules/descendants.ts");
    const { clusterDelete } = await import("../../functions/cluster/delete.ts");
    expect(IN_DELETE_ORDER[0]?.kind.kind).toBe(KIND);
    expect(clusterDelete.spec.watches.map(({ on }) => "kind" in on && on.kind)).toContain(KIND);
    expect(clusterDelete.spec.calls).toContainEqual({ verb: "delete", kind: MachineGroup });
  });

  it("counts as workers of its Cluster, whose conditions wait for its own", async () => {
    const { clusterStatus } = await import("../../functions/cluster/status.ts");
    const { workerCounters } = await import("../../functions/cluster/rules/counters.ts");
    const { workerConditions } = await import("../../functions/cluster/rules/worker-conditions.ts");
    const { countedWorkers, DESCENDANTS } = await import("../../functions/cluster/rules/descendants.ts");
    const { cluster } = await import("../support/builders.ts");
    const watched = clusterStatus.spec.watches.filter(({ on }) => "kind" in on && on.kind === KIND);
    expect(watched.flatMap(({ fields }) => fields)).toContain("status.observedGeneration");
    const of = DESCENDANTS.filter(({ kind }) => kind.kind === KIND);
    const counted = countedWorkers(
      cluster(),
      of.map((one) => ({ of: one, objects: [GROUP] })),
    );
    expect(workerCounters(counted)).toMatchObject({ desiredReplicas: 3, replicas: 2 });
    const rolling = workerConditions(counted, undefined).find(({ type }) => type === "RollingOut");
    expect(rolling).toMatchObject({ status: "Unknown" });
  });

  it("may own a Machine's objects until the Machine does", async () => {
    const { machineClaim } = await import("../../functions/machine/rules/adoption.ts");
    const { machine } = await import("../support/builders.ts");
    const owner = { apiVersion: GROUP.apiVersion, kind: KIND, name: "g1", uid: "uid-g1" };
    expect(machineClaim(machine(), undefined).temporary?.(owner)).toBe(true);
  });

  it("is taken over with its Cluster, first, and `up` waits for it", async () => {
    const { FAMILIES } = await import("../../infra/operate/takeover/families.ts");
    const { unreadyAmong } = await import("../../infra/cli/up/readiness.ts");
    const { createMemoryStore } = await import("../../infra/queue/backends/embedded/store.ts");
    expect(FAMILIES[0]).toBe(MachineGroup);
    await using store = createMemoryStore();
    expect(await unreadyAmong(store, [GROUP])).toEqual([
      { object: "MachineGroup default/g1", why: "does not exist" },
    ]);
  });
});
