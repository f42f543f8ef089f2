import { describe, expect, it } from "vitest";
import type { SimInstance } from "../../../../../infra/playground/api/sim-cloud.ts";
import { simMachinepool } from "../../../../../infra/playground/functions/sim/machinepool.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { controllerOf } from "../../../../../shared/rules/metadata/owner-references.ts";
import { cluster, machine, machinePool } from "../../../../support/builders.ts";
import { simInstance, simMachine, simMachinePool } from "../../../../support/sim.ts";
import { decide, given, NOW } from "../../../../support/world.ts";

const FINALIZER = "simmachinepool.infrastructure.sim.capstan.dev";
const DELETED = "2026-01-01T11:59:00Z";

const infra = simMachinePool;
const instance = simInstance;

const three = [instance("p1-infra-0"), instance("p1-infra-1"), instance("p1-infra-2")];
const threeIDs = ["sim://p1-infra-0", "sim://p1-infra-1", "sim://p1-infra-2"];
const provisioned = infra({
  spec: { providerIDList: threeIDs },
  status: { ready: true, replicas: 3, initialization: { provisioned: true } },
});

describe("sim-machinepool", () => {
  it("waits for the owner reference of the MachinePool", async () => {
    const world = given(cluster(), machinePool(), infra({ metadata: { ownerReferences: [] } }));
    expect(await decide(simMachinepool, world)).toEqual({
      result: waitFor("SimMachinePool.metadata.ownerReferences"),
    });
  });

  it("adds its finalizer before the first instance", async () => {
    const world = given(cluster(), machinePool(), infra({ metadata: { finalizers: ["other"] } }));
    const { patch, create } = await decide(simMachinepool, world);
    expect(create).toBeUndefined();
    expect(patch?.[0]?.operations).toEqual([{ op: "add", path: "/metadata/finalizers/-", value: FINALIZER }]);
  });

  it.each([
    [
      "the infrastructure of the Cluster",
      cluster({ status: { initialization: undefined } }),
      machinePool(),
      "Cluster.status.initialization.infrastructureProvisioned",
    ],
    [
      "the bootstrap data",
      cluster(),
      machinePool({ spec: { template: { spec: { bootstrap: { dataSecretName: undefined } } } } }),
      "MachinePool.spec.template.spec.bootstrap.dataSecretName",
    ],
    [
      "the number of replicas",
      cluster(),
      machinePool({ spec: { replicas: undefined } }),
      "MachinePool.spec.replicas",
    ],
  ])("waits for %s", async (_, owner, pool, what) => {
    const decision = await decide(simMachinepool, given(owner, pool, infra()));
    expect(decision.create).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.conditions": [{ type: "Ready", status: "False" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(waitFor(what));
  });

  it("creates all missing instances in one decision, each of them another machine", async () => {
    const world = given(cluster(), machinePool(), infra(), instance("p1-infra-1"));
    const { create } = await decide(simMachinepool, world);
    expect(create?.map(({ object }) => object.metadata.name)).toEqual(["p1-infra-0", "p1-infra-2"]);
    expect(create?.[0]?.object).toMatchObject({
      metadata: {
        namespace: "default",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [{ kind: "SimMachinePool", uid: "uid-infra", controller: true }],
      },
      spec: {
        clusterName: "c1",
        poolName: "p1-infra",
        providerID: `sim://default/p1-infra-0/${NOW.getTime().toString(36)}`,
        bootDelaySeconds: 2,
        nodeReadyDelaySeconds: 3,
        kubeletVersion: "v1.34.0",
      },
    });
  });

  it("wants no bootstrap data when its name is the empty string", async () => {
    const pool = machinePool({ spec: { template: { spec: { bootstrap: { dataSecretName: "" } } } } });
    const { create } = await decide(simMachinepool, given(cluster(), pool, infra()));
    expect(create).toHaveLength(3);
  });

  it("boots the version of its own template, else that of the MachinePool", async () => {
    const pool = machinePool({ spec: { replicas: 1, template: { spec: { version: "v1.33.1" } } } });
    const own = infra({ spec: { template: { kubeletVersion: "v1.32.0" } } });
    const versions = await Promise.all(
      [infra(), own].map(async (object) => {
        const { create } = await decide(simMachinepool, given(cluster(), pool, object));
        return (create?.[0]?.object as SimInstance | undefined)?.spec.kubeletVersion;
      }),
    );
    expect(versions).toEqual(["v1.33.1", "v1.32.0"]);
  });

  it("makes nothing new for a MachinePool that is being deleted", async () => {
    const pool = machinePool({ metadata: { deletionTimestamp: DELETED } });
    expect(await decide(simMachinepool, given(cluster(), pool, infra()))).toEqual({
      result: waitFor("MachinePool deleted"),
    });
  });

  it("lists nothing and is not ready while its first instances boot", async () => {
    const booting = instance("p1-infra-2", { status: { phase: "Pending" } });
    const world = given(cluster(), machinePool(), infra(), ...three, booting);
    const decision = await decide(simMachinepool, world);
    expect(decision.patch).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.ready": false,
      "status.initialization.provisioned": false,
      "status.replicas": 0,
      "status.conditions": [
        { type: "Ready", status: "False", message: "Waiting for 3 instances to run" },
        { type: "Paused" },
      ],
    });
  });

  it("lists the provider IDs by index before it says ready", async () => {
    const world = given(cluster(), machinePool(), infra(), ...three.toReversed());
    const { patch, apply } = await decide(simMachinepool, world);
    expect(patch?.[0]?.operations).toEqual([{ op: "add", path: "/spec/providerIDList", value: threeIDs }]);
    expect(apply).toBeUndefined();
  });

  it("sorts eleven instances by index, not by text", async () => {
    const eleven = Array.from({ length: 11 }, (_, index) => instance(`p1-infra-${index}`));
    const world = given(cluster(), machinePool({ spec: { replicas: 11 } }), infra(), ...eleven);
    const { patch } = await decide(simMachinepool, world);
    const value = eleven.map(({ spec }) => spec.providerID);
    expect(patch?.[0]?.operations).toMatchObject([{ value }]);
  });

  it("is ready once the list is complete", async () => {
    const listed = infra({ spec: { providerIDList: threeIDs } });
    const decision = await decide(simMachinepool, given(cluster(), machinePool(), listed, ...three));
    expect(decision.patch).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.ready": true,
      "status.initialization.provisioned": true,
      "status.replicas": 3,
      "status.conditions": [{ type: "Ready", status: "True" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(done);
  });

  it("is ready at once when no replicas are wanted", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: 0 } }), infra());
    const { apply } = await decide(simMachinepool, world);
    expect(apply).toMatchObject({ "status.ready": true, "status.replicas": 0 });
  });

  it("stays provisioned and lists what runs while it grows", async () => {
    const grown = [...three, instance("p1-infra-3", { status: { phase: "Pending" } })];
    const world = given(cluster(), machinePool({ spec: { replicas: 4 } }), provisioned, ...grown);
    const decision = await decide(simMachinepool, world);
    expect(decision.patch).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.ready": true,
      "status.replicas": 3,
      "status.conditions": [{ status: "False", message: "3 of 4 instances run" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(waitFor("SimInstance.status.phase"));
  });

  it("keeps its list when every status is lost, and reports what it did before", async () => {
    const moved = infra({ spec: { providerIDList: threeIDs } });
    const silent = three.map((one) => ({ ...one, status: undefined }));
    const pool = machinePool({ spec: { replicas: 4 } });
    const booting = instance("p1-infra-3", { status: undefined });
    const decision = await decide(simMachinepool, given(cluster(), pool, moved, ...silent, booting));
    expect(decision.patch).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.ready": true,
      "status.initialization.provisioned": true,
      "status.replicas": 3,
    });
    // A list that a fault made up proves nothing.
    const faulty = infra({ spec: { providerIDList: threeIDs, faults: { providerIDList: threeIDs } } });
    const other = await decide(simMachinepool, given(cluster(), pool, faulty, booting, ...silent));
    expect(other.apply).toMatchObject({ "status.ready": false });
  });

  it("takes an instance off the list as soon as it is being deleted", async () => {
    const going = instance("p1-infra-1", { metadata: { deletionTimestamp: DELETED } });
    const { patch } = await decide(
      simMachinepool,
      given(cluster(), machinePool(), provisioned, ...three, going),
    );
    expect(patch?.[0]?.operations).toMatchObject([{ value: ["sim://p1-infra-0", "sim://p1-infra-2"] }]);
  });

  it("deletes the highest indexes when fewer replicas are wanted", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: 1 } }), provisioned, ...three);
    const decision = await decide(simMachinepool, world);
    expect(decision.delete).toMatchObject([
      { target: { name: "p1-infra-2", uid: "uid-p1-infra-2", resourceVersion: "50" } },
      { target: { name: "p1-infra-1", uid: "uid-p1-infra-1", resourceVersion: "50" } },
    ]);
  });

  it("deletes an instance of its own under a name that it never gives", async () => {
    const odd = instance("p1-infra-01");
    const { delete: deleted } = await decide(
      simMachinepool,
      given(cluster(), machinePool(), provisioned, ...three, odd),
    );
    expect(deleted?.map(({ target }) => target.name)).toEqual(["p1-infra-01"]);
  });

  it("takes a negative number of replicas for none", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: -1 } }), provisioned, ...three);
    const { create, delete: deleted } = await decide(simMachinepool, world);
    expect(create).toBeUndefined();
    expect(deleted).toHaveLength(3);
  });

  it("deletes nothing when the MachinePool wants them again by now", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: 1 } }), provisioned, ...three);
    const decision = await decide(simMachinepool, world.live(machinePool()));
    expect(decision.delete).toEqual([]);
  });

  it("deletes nothing when the MachinePool is another one by now", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: 1 } }), provisioned, ...three);
    const other = machinePool({ metadata: { uid: "uid-new" }, spec: { replicas: 1 } });
    expect(await decide(simMachinepool, world.live(other))).toEqual({
      result: waitFor("MachinePool.spec.replicas"),
    });
  });

  it("deletes nothing when the Cluster has just been paused", async () => {
    const world = given(cluster(), machinePool({ spec: { replicas: 1 } }), provisioned, ...three);
    expect(await decide(simMachinepool, world.live(cluster({ spec: { paused: true } })))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
  });

  it.each([
    [
      "it has just been paused itself",
      { ...provisioned.metadata, annotations: { "cluster.x-k8s.io/paused": "" } },
      "SimMachinePool.metadata.annotations[cluster.x-k8s.io/paused]",
    ],
    ["it is another one by now", { ...provisioned.metadata, uid: "uid-new" }, "MachinePool.spec.replicas"],
  ])("deletes nothing when %s", async (_, metadata, what) => {
    const world = given(cluster(), machinePool({ spec: { replicas: 1 } }), provisioned, ...three);
    expect(await decide(simMachinepool, world.live({ ...provisioned, metadata }))).toEqual({
      result: waitFor(what),
    });
  });

  describe("that is being deleted", () => {
    const deleted = infra({ metadata: { deletionTimestamp: DELETED } });

    it("deletes its instances, also without its MachinePool", async () => {
      const foreign = instance("p2-0", { metadata: { ownerReferences: [] } });
      const decision = await decide(simMachinepool, given(deleted, ...three, foreign));
      expect(decision.delete?.map(({ target }) => target.name)).toEqual([
        "p1-infra-0",
        "p1-infra-1",
        "p1-infra-2",
      ]);
      expect(decision.patch).toBeUndefined();
    });

    it("keeps its finalizer while an instance is going", async () => {
      const going = instance("p1-infra-0", { metadata: { deletionTimestamp: DELETED } });
      const decision = await decide(simMachinepool, given(cluster(), machinePool(), deleted, going));
      expect(decision).toEqual({ delete: [], result: waitFor("SimInstance deleted") });
    });

    it("removes its finalizer once the API server has no instance of it", async () => {
      const left = instance("p1-infra-0");
      const world = given(cluster(), machinePool(), deleted, left).goneLive(left);
      const { patch } = await decide(simMachinepool, world);
      expect(patch?.[0]?.operations).toEqual([
        { op: "test", path: "/metadata/finalizers/0", value: FINALIZER },
        { op: "remove", path: "/metadata/finalizers/0" },
      ]);
    });
  });

  describe("with Machines", () => {
    const REFERENCE = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine" };
    const machineOf = (name: string, overrides: Parameters<typeof machine>[1] = {}) =>
      machine(name, {
        metadata: { finalizers: ["machine.cluster.x-k8s.io"], ...overrides.metadata },
        spec: { infrastructureRef: { ...REFERENCE, name } },
      });
    const simMachines = three.map(({ metadata }) => simMachine(metadata.name));
    const machines = three.map(({ metadata }) => machineOf(metadata.name));
    const pool = infra({ ...provisioned, spec: { ...provisioned.spec, machines: true } });
    const complete = given(cluster(), machinePool(), pool, ...three, ...simMachines, ...machines);

    it("makes a SimMachine per instance, after it, with the labels that MachinePools look for", async () => {
      const begun = given(cluster(), machinePool(), infra({ spec: { machines: true } }));
      const { create: first } = await decide(simMachinepool, begun);
      expect(first?.map(({ kind }) => kind.kind)).toEqual(["SimInstance", "SimInstance", "SimInstance"]);
      const { create } = await decide(simMachinepool, given(cluster(), machinePool(), pool, ...three));
      expect(create?.map(({ object }) => object.metadata.name)).toEqual([
        "p1-infra-0",
        "p1-infra-1",
        "p1-infra-2",
      ]);
      expect(create?.[0]?.object).toMatchObject({
        kind: "SimMachine",
        metadata: {
          labels: { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/pool-name": "p1" },
          finalizers: ["simmachine.infrastructure.sim.capstan.dev"],
          ownerReferences: [{ kind: "SimMachinePool", uid: "uid-infra", blockOwnerDeletion: true }],
        },
        spec: { providerID: "sim://p1-infra-0" },
      });
      expect(controllerOf(create?.[0]?.object as KubeObject)).toBeUndefined();
    });

    it("names the machine kind in its status, and does not without Machines", async () => {
      const { apply } = await decide(simMachinepool, complete);
      expect(apply).toMatchObject({ "status.infrastructureMachineKind": "SimMachine", "status.replicas": 3 });
      const plain = await decide(simMachinepool, given(cluster(), machinePool(), provisioned, ...three));
      expect(plain.apply?.["status.infrastructureMachineKind"]).toBeUndefined();
    });

    it("scales down by deleting Machines, those that a user has marked first", async () => {
      const marked = machineOf("p1-infra-0", {
        metadata: { annotations: { "cluster.x-k8s.io/delete-machine": "yes" } },
      });
      const world = given(
        cluster(),
        machinePool({ spec: { replicas: 1 } }),
        pool,
        ...three,
        ...simMachines,
        ...machines,
        marked,
      );
      const { delete: deleted } = await decide(simMachinepool, world);
      expect(deleted?.map(({ target }) => `${target.kind.kind} ${target.name}`)).toEqual([
        "Machine p1-infra-0",
        "Machine p1-infra-2",
      ]);
    });

    it("deletes no further Machine while one is going already", async () => {
      const going = machineOf("p1-infra-1", { metadata: { deletionTimestamp: DELETED } });
      const world = given(
        cluster(),
        machinePool({ spec: { replicas: 2 } }),
        pool,
        ...three,
        ...simMachines,
        ...machines,
        going,
      );
      expect((await decide(simMachinepool, world)).delete).toBeUndefined();
    });

    it("replaces an instance only when it, its SimMachine and its Machine have made room", async () => {
      const left = [three[0], three[2], simMachines[0], simMachines[2]].filter(
        (object) => object !== undefined,
      );
      const names = async (...more: readonly KubeObject[]) => {
        const { create } = await decide(
          simMachinepool,
          given(cluster(), machinePool(), pool, ...left, ...more),
        );
        return create?.map(({ object }) => object.metadata.name);
      };
      expect(await names(simMachine("p1-infra-1"))).toBeUndefined();
      const leaving = machineOf("p1-infra-1", { metadata: { deletionTimestamp: DELETED } });
      expect(await names(leaving)).toEqual(["p1-infra-3"]);
      expect(await names()).toEqual(["p1-infra-1"]);
    });

    it("makes nothing for an instance that the API server has no more, whatever the snapshots show", async () => {
      const without = given(cluster(), machinePool(), pool, ...three, ...simMachines.slice(0, 2));
      const namesOf = async (world: typeof without) =>
        (await decide(simMachinepool, world)).create?.map(
          ({ kind, object }) => `${kind.kind} ${object.metadata.name}`,
        );
      expect(await namesOf(without)).toEqual(["SimMachine p1-infra-2"]);
      expect(await namesOf(without.goneLive(instance("p1-infra-2")))).toEqual(["SimInstance p1-infra-2"]);
    });

    it("takes a Machine down that has lost its SimMachine, on the API server, too", async () => {
      const orphan = machineOf("p1-infra-3");
      const to = given(cluster(), machinePool(), pool, ...three, ...simMachines, ...machines, orphan);
      const { delete: toDelete } = await decide(simMachinepool, to);
      expect(toDelete?.map(({ target }) => `${target.kind.kind} ${target.name}`)).toEqual([
        "Machine p1-infra-3",
      ]);
      expect((await decide(simMachinepool, to.live(simMachine("p1-infra-3")))).delete).toEqual([]);
      const leaving = machineOf("p1-infra-3", { metadata: { deletionTimestamp: DELETED } });
      expect((await decide(simMachinepool, to.live(leaving))).delete).toEqual([]);
    });

    it("takes its Machines down when it is deleted, and what has none directly", async () => {
      const deleted = infra({ ...pool, metadata: { ...pool.metadata, deletionTimestamp: DELETED } });
      const foreign = machine("other", { spec: { infrastructureRef: { ...REFERENCE, name: "other" } } });
      const some = given(
        cluster(),
        machinePool(),
        deleted,
        ...three,
        ...simMachines.slice(0, 2),
        ...machines.slice(0, 1),
        foreign,
      );
      const { delete: toDelete } = await decide(simMachinepool, some);
      expect(toDelete?.map(({ target }) => `${target.kind.kind} ${target.name}`)).toEqual([
        "Machine p1-infra-0",
        "SimMachine p1-infra-1",
        "SimInstance p1-infra-2",
      ]);
    });
  });

  describe("whose replicas are managed from outside", () => {
    const managed = machinePool({
      metadata: { annotations: { "cluster.x-k8s.io/replicas-managed-by": "" } },
      spec: { replicas: 1 },
    });

    it("has as many instances as its own autoscaler wants", async () => {
      const { create } = await decide(
        simMachinepool,
        given(cluster(), managed, infra({ spec: { replicas: 2 } })),
      );
      expect(create).toHaveLength(2);
      const unmanaged = machinePool({ spec: { replicas: 1 } });
      const { create: one } = await decide(
        simMachinepool,
        given(cluster(), unmanaged, infra({ spec: { replicas: 2 } })),
      );
      expect(one).toHaveLength(1);
    });

    it("shrinks to what the autoscaler wants by now", async () => {
      const world = given(cluster(), managed, infra({ ...provisioned, spec: { replicas: 1 } }), ...three);
      expect((await decide(simMachinepool, world)).delete).toHaveLength(2);
      const grown = world.live(infra({ ...provisioned, spec: { replicas: 3 } }));
      expect((await decide(simMachinepool, grown)).delete).toEqual([]);
    });
  });

  it("reports the failures and lists of its faults, and turns not ready in time", async () => {
    const faults = {
      failureReason: "Broken",
      failureMessage: "no capacity",
      providerIDList: [],
      replicas: 3,
      notReadyAfterSeconds: 13 * 3600,
    };
    const faulty = infra({ spec: { faults } });
    const decision = await decide(simMachinepool, given(cluster(), machinePool(), faulty, ...three));
    expect(decision.apply).toMatchObject({
      "status.ready": true,
      "status.replicas": 3,
      "status.failureReason": "Broken",
      "status.failureMessage": "no capacity",
    });
    expect(decision.patch).toBeUndefined();
    expect(decision.result).toEqual(requeueAfter(3_600_000, "spec.faults.notReadyAfterSeconds"));
    const over = infra({ spec: { providerIDList: threeIDs, faults: { notReadyAfterSeconds: 60 } } });
    const { apply } = await decide(simMachinepool, given(cluster(), machinePool(), over, ...three));
    expect(apply).toMatchObject({ "status.ready": false, "status.initialization.provisioned": true });
  });
});
