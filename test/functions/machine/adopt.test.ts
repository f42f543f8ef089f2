import { describe, expect, it } from "vitest";
import { machineAdopt } from "../../../functions/machine/adopt.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, crd, infraMachine, machine } from "../../support/builders.ts";
import { machineConfig, OWNED_BY_M1, ownInfraMachine, soloMachine } from "../../support/machines.ts";
import { decide, given } from "../../support/world.ts";

const NEW = { ownerReferences: undefined, labels: undefined };
const ADOPTION = [
  { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_M1] },
  { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
];

async function written(world: ReturnType<typeof given>) {
  const { patch = [] } = await decide(machineAdopt, world, "m1");
  return patch.map(({ target, operations }) => ({ name: target.name, operations }));
}

describe("machine-adopt", () => {
  it("makes the Machine the controller of both objects and labels them, one patch each", async () => {
    const world = given(
      cluster(),
      soloMachine(),
      machineConfig({ metadata: NEW }),
      ownInfraMachine({ metadata: NEW }),
    );
    expect(await written(world)).toEqual([
      { name: "m1-config", operations: ADOPTION },
      { name: "m1", operations: ADOPTION },
    ]);
  });

  it("has nothing to write once both are adopted", async () => {
    const world = given(cluster(), soloMachine(), machineConfig(), ownInfraMachine());
    expect(await decide(machineAdopt, world)).toMatchObject({ patch: [], events: [], result: done });
  });

  it("adopts the infrastructure machine of a pool's Machine, which has no config", async () => {
    const guarded = machine("m1", { metadata: { finalizers: ["machine.cluster.x-k8s.io"] } });
    const owner = { ...OWNED_BY_M1 };
    expect(await written(given(cluster(), guarded, infraMachine("m1")))).toEqual([
      { name: "m1", operations: [{ op: "add", path: "/metadata/ownerReferences", value: [owner] }] },
    ]);
  });

  it("leaves an object of another controller alone, says so, and adopts the other one", async () => {
    const foreign = { ownerReferences: [{ ...OWNED_BY_M1, name: "m2", uid: "uid-m2" }] };
    const world = given(
      cluster(),
      soloMachine(),
      machineConfig({ metadata: NEW }),
      ownInfraMachine({ metadata: foreign }),
    );
    const { patch, events, result } = await decide(machineAdopt, world);
    expect(patch?.map(({ target }) => target.name)).toEqual(["m1-config"]);
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "ControlledByAnother",
        message: "FooMachine m1 is controlled by Machine m2",
      },
    ]);
    expect(result).toEqual(waitFor("InfraMachine.metadata.ownerReferences"));
  });

  it.each([
    ["the config", [soloMachine(), cluster(), ownInfraMachine()], waitFor("BootstrapConfig.metadata.uid")],
    [
      "a contract label",
      [
        soloMachine(),
        cluster(),
        machineConfig(),
        ownInfraMachine(),
        crd("infrastructure.cluster.x-k8s.io", "FooMachine", { metadata: { labels: undefined } }),
      ],
      waitFor("CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachine"),
    ],
    [
      "the finalizer",
      [soloMachine({ metadata: { finalizers: undefined } }), cluster()],
      waitFor("Machine.metadata.finalizers"),
    ],
    ["the Cluster", [soloMachine()], waitFor("Cluster.metadata.uid")],
    [
      "nothing while it is being deleted",
      [soloMachine({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }), cluster()],
      done,
    ],
  ])("waits for %s", async (_, objects, result) => {
    const decision = await decide(machineAdopt, given(...objects), "m1");
    expect([decision.patch ?? [], decision.result]).toEqual([[], result]);
  });

  it("names no Machine that has been recreated since its snapshot", async () => {
    const young = { ...NEW, creationTimestamp: "2026-01-01T11:59:59Z" };
    const world = given(cluster(), soloMachine(), machineConfig(), ownInfraMachine({ metadata: young }));
    expect(await written(world)).toHaveLength(1);
    expect(await written(world.live(soloMachine({ metadata: { uid: "uid-recreated" } })))).toEqual([]);
  });
});
