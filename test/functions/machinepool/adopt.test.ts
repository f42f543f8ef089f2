import { describe, expect, it } from "vitest";
import { machinepoolAdopt } from "../../../functions/machinepool/adopt.ts";
import { waitFor } from "../../../shared/function/result.ts";
import {
  bootstrapConfig,
  cluster,
  crd,
  infraMachinePool,
  machinePool,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const NEW = { ownerReferences: undefined, labels: undefined };
const ADOPTION = [
  { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_P1] },
  { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
];
const UNLABELLED = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
  metadata: { labels: undefined },
});
const BY_P2 = { ...OWNED_BY_P1, name: "p2", uid: "uid-p2" };

async function written(world: ReturnType<typeof given>) {
  const { patch = [] } = await decide(machinepoolAdopt, world);
  return patch
    .filter(({ operations }) => operations.length > 0)
    .map(({ target, operations }) => ({ name: target.name, operations }));
}

describe("machinepool-adopt", () => {
  it("makes the pool the controller of both objects and labels them, one patch each", async () => {
    const world = given(
      cluster(),
      machinePool(),
      bootstrapConfig({ metadata: NEW }),
      infraMachinePool({ metadata: NEW }),
    );
    expect(await written(world)).toEqual([
      { name: "p1-config", operations: ADOPTION },
      { name: "p1-infra", operations: ADOPTION },
    ]);
  });

  it("names no pool that has been recreated since its snapshot: the garbage collector would delete the object", async () => {
    const younger = infraMachinePool({ metadata: { ...NEW, creationTimestamp: "2026-01-01T11:59:59Z" } });
    const world = given(cluster(), machinePool(), bootstrapConfig(), younger);
    expect(await written(world)).toEqual([{ name: "p1-infra", operations: ADOPTION }]);
    expect(await written(world.live(machinePool({ metadata: { uid: "uid-recreated" } })))).toEqual([]);
    expect(await written(world.goneLive(machinePool()))).toEqual([]);
    const annotations = { "cluster.x-k8s.io/paused": "" };
    expect(await written(world.live(machinePool({ metadata: { annotations } })))).toEqual([]);
  });

  it("asks the API server about no object that is as old as its pool, or older", async () => {
    const older = infraMachinePool({ metadata: { ...NEW, creationTimestamp: "2020-01-01T00:00:00Z" } });
    for (const object of [infraMachinePool({ metadata: NEW }), older]) {
      const world = given(cluster(), machinePool(), bootstrapConfig(), object);
      expect(await written(world.goneLive(machinePool()))).toEqual([
        { name: "p1-infra", operations: ADOPTION },
      ]);
    }
  });

  it("has nothing to write once both objects are adopted", async () => {
    expect(await written(given(cluster(), machinePool(), bootstrapConfig(), infraMachinePool()))).toEqual([]);
  });

  it("waits for the Cluster", async () => {
    expect(await decide(machinepoolAdopt, given(machinePool(), bootstrapConfig()))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
  });

  it("waits for the finalizer", async () => {
    const pool = machinePool({ metadata: { finalizers: undefined } });
    expect(
      await decide(machinepoolAdopt, given(cluster(), pool, bootstrapConfig({ metadata: NEW }))),
    ).toEqual({
      result: waitFor("MachinePool.metadata.finalizers"),
    });
  });

  it("touches nothing while the pool is being deleted", async () => {
    const pool = machinePool({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await written(given(cluster(), pool, bootstrapConfig({ metadata: NEW })))).toEqual([]);
  });

  it("adopts the infrastructure object although the bootstrap object does not exist", async () => {
    const world = given(cluster(), machinePool(), infraMachinePool({ metadata: NEW }));
    expect(await written(world)).toEqual([{ name: "p1-infra", operations: ADOPTION }]);
  });

  it("adopts an object that is being deleted", async () => {
    const config = bootstrapConfig({ metadata: { ...NEW, deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await written(given(cluster(), machinePool(), config))).toEqual([
      { name: "p1-config", operations: ADOPTION },
    ]);
  });

  it("never writes over another controller and says who it is", async () => {
    const shared = bootstrapConfig({ metadata: { ownerReferences: [BY_P2] } });
    const world = given(cluster(), machinePool(), shared, infraMachinePool({ metadata: NEW }));
    const { events } = await decide(machinepoolAdopt, world);
    expect(await written(world)).toEqual([{ name: "p1-infra", operations: ADOPTION }]);
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "ControlledByAnother",
        message: "FooConfig p1-config is controlled by MachinePool p2",
      },
    ]);
  });

  it("keeps owners that do not control the object", async () => {
    const { controller: _, blockOwnerDeletion: __, ...witness } = BY_P2;
    const config = bootstrapConfig({ metadata: { ownerReferences: [witness] } });
    expect(await written(given(cluster(), machinePool(), config))).toEqual([
      {
        name: "p1-config",
        operations: [{ op: "add", path: "/metadata/ownerReferences/-", value: OWNED_BY_P1 }],
      },
    ]);
  });

  it("replaces its own reference of an older version or uid in place", async () => {
    const stale = { ...OWNED_BY_P1, apiVersion: "cluster.x-k8s.io/v1beta1", uid: "uid-before-move" };
    const config = bootstrapConfig({ metadata: { ownerReferences: [stale] } });
    expect(await written(given(cluster(), machinePool(), config))).toEqual([
      {
        name: "p1-config",
        operations: [
          { op: "test", path: "/metadata/ownerReferences/0", value: stale },
          { op: "replace", path: "/metadata/ownerReferences/0", value: OWNED_BY_P1 },
        ],
      },
    ]);
  });

  it.each([
    ["the bootstrap object", [infraMachinePool()], "BootstrapConfig.metadata.uid"],
    ["the infrastructure object", [bootstrapConfig()], "InfraMachinePool.metadata.uid"],
    [
      "the definition of a kind",
      [bootstrapConfig(), infraMachinePool(), UNLABELLED],
      "CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachinePool",
    ],
    [
      "another controller to let go",
      [bootstrapConfig({ metadata: { ownerReferences: [BY_P2] } }), infraMachinePool()],
      "BootstrapConfig.metadata.ownerReferences",
    ],
  ])("waits for %s", async (_, objects, awaited) => {
    const { result } = await decide(machinepoolAdopt, given(cluster(), machinePool(), ...objects));
    expect(result).toEqual(waitFor(awaited));
  });

  it("waits for the definition of a kind that is not installed", async () => {
    const world = given(cluster(), machinePool(), bootstrapConfig()).without(UNLABELLED);
    expect((await decide(machinepoolAdopt, world)).result).toEqual(
      waitFor("CustomResourceDefinition.metadata.uid of infrastructure.cluster.x-k8s.io/FooMachinePool"),
    );
  });

  it("never writes to an object whose CRD claims no supported contract", async () => {
    const unlabelled = crd("bootstrap.cluster.x-k8s.io", "FooConfig", { metadata: { labels: undefined } });
    const world = given(unlabelled, cluster(), machinePool(), bootstrapConfig({ metadata: NEW }));
    expect(await written(world)).toEqual([]);
  });
});
