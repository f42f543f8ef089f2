import { describe, expect, it } from "vitest";
import type { SimInstance } from "../../../../../../infra/playground/api/sim-cloud.ts";
import type { SimMachine } from "../../../../../../infra/playground/api/sim-machine.ts";
import { simMachine as simMachineFunction } from "../../../../../../infra/playground/functions/sim/machine.ts";
import type { KubeObject } from "../../../../../../shared/api/kinds.ts";
import { done, failed, waitFor } from "../../../../../../shared/function/result.ts";
import { cluster, merge, type Overrides } from "../../../../../support/builders.ts";
import { soloMachine } from "../../../../../support/machines.ts";
import { decide, given, NOW } from "../../../../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const FINALIZER = "simmachine.infrastructure.sim.capstan.dev";
const PROVIDER_ID = `sim://default/m1/${NOW.getTime().toString(36)}`;
const INFRA = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name: "m1" };

/** SimMachine `default/m1`, controlled by Machine m1. */
function own(overrides: Overrides<SimMachine> = {}): SimMachine {
  return merge<SimMachine>(
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimMachine",
      metadata: {
        name: "m1",
        namespace: "default",
        uid: "uid-sim-m1",
        resourceVersion: "80",
        generation: 1,
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        finalizers: [FINALIZER],
        ownerReferences: [
          {
            apiVersion: "cluster.x-k8s.io/v1beta2",
            kind: "Machine",
            name: "m1",
            uid: "uid-m1",
            controller: true,
          },
        ],
      },
      spec: { nodeDelaySeconds: 7 },
    },
    overrides,
  );
}

function instance(overrides: Overrides<SimInstance> = {}): SimInstance {
  return merge<SimInstance>(
    {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimInstance",
      metadata: {
        name: "m1",
        namespace: "default",
        uid: "uid-i1",
        resourceVersion: "90",
        ownerReferences: [
          {
            apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
            kind: "SimMachine",
            name: "m1",
            uid: "uid-sim-m1",
            controller: true,
          },
        ],
      },
      spec: {
        clusterName: "c1",
        providerID: PROVIDER_ID,
        bootDelaySeconds: 1,
        nodeReadyDelaySeconds: 1,
        failureDomain: "a",
      },
      status: { phase: "Provisioned", addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    },
    overrides,
  );
}

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), soloMachine({ spec: { infrastructureRef: INFRA } }), own(), ...objects);
}

describe("sim-machine of a Machine of its own", () => {
  it("waits for its Machine, then adds its finalizer before anything else", async () => {
    const orphan = own({ metadata: { ownerReferences: undefined } });
    expect(await decide(simMachineFunction, world(orphan))).toEqual({
      result: waitFor("SimMachine.metadata.ownerReferences"),
    });
    const { patch, create } = await decide(
      simMachineFunction,
      world(own({ metadata: { finalizers: undefined } })),
    );
    expect(create).toBeUndefined();
    expect(patch?.[0]?.operations).toEqual([{ op: "add", path: "/metadata/finalizers", value: [FINALIZER] }]);
  });

  it.each<[string, KubeObject]>([
    [
      "Cluster.status.initialization.infrastructureProvisioned",
      cluster({ status: { initialization: undefined } }),
    ],
    [
      "Machine.spec.bootstrap.dataSecretName",
      soloMachine({ spec: { infrastructureRef: INFRA, bootstrap: { dataSecretName: undefined } } }),
    ],
  ])("makes no instance before %s is there", async (missing, object) => {
    const { create, result } = await decide(simMachineFunction, world(object));
    expect(create).toBeUndefined();
    expect(result).toEqual(waitFor(missing));
  });

  it("makes an instance of its name with the version, the domain and the durations", async () => {
    const machine = soloMachine({
      spec: { infrastructureRef: INFRA, failureDomain: "a", version: "1.33.1" },
    });
    const { create } = await decide(simMachineFunction, world(machine));
    expect(create?.map(({ object }) => object)).toMatchObject([
      {
        kind: "SimInstance",
        metadata: { name: "m1", ownerReferences: [{ kind: "SimMachine", controller: true }] },
        spec: {
          clusterName: "c1",
          providerID: PROVIDER_ID,
          failureDomain: "a",
          kubeletVersion: "v1.33.1",
          bootDelaySeconds: 1,
          nodeDelaySeconds: 7,
          nodeReadyDelaySeconds: 1,
        },
      },
    ]);
    expect((create?.[0]?.object as SimInstance | undefined)?.spec).not.toHaveProperty("controlPlane");
  });

  it("gives an instance of the control plane its share of the API server", async () => {
    const labels = { "cluster.x-k8s.io/control-plane": "" };
    const machine = soloMachine({ metadata: { labels }, spec: { infrastructureRef: INFRA } });
    const { create } = await decide(simMachineFunction, world(machine));
    expect(create?.[0]?.object).toMatchObject({ spec: { controlPlane: true, apiServerDelaySeconds: 1 } });
  });

  it("reports the provider ID first, then that it is provisioned, with addresses and domain", async () => {
    const { patch, apply } = await decide(simMachineFunction, world(instance()));
    expect(patch?.[0]?.operations).toEqual([{ op: "add", path: "/spec/providerID", value: PROVIDER_ID }]);
    expect(apply).toBeUndefined();
    const known = own({ spec: { providerID: PROVIDER_ID, interruptible: true } });
    expect(await decide(simMachineFunction, world(known, instance()))).toMatchObject({
      apply: {
        "status.initialization.provisioned": true,
        "status.ready": true,
        "status.addresses": [{ type: "InternalIP", address: "10.0.0.1" }],
        "status.failureDomain": "a",
        "status.interruptible": true,
      },
      result: done,
    });
  });

  it("waits for an instance that boots, and takes none of another owner", async () => {
    const booting = await decide(simMachineFunction, world(instance({ status: { phase: "Pending" } })));
    expect(booting.result).toEqual(waitFor("SimInstance.status.phase"));
    const foreign = await decide(simMachineFunction, world(instance({ metadata: { ownerReferences: [] } })));
    const message = "SimInstance m1 belongs to something else; give the Machine another name";
    expect(foreign.result).toEqual(failed("ControlledByAnother", message));
    expect(foreign.apply?.["status.initialization.provisioned"]).toBeUndefined();
  });

  it("makes no second instance when that of a provider ID is gone, and stays provisioned", async () => {
    const lost = own({
      spec: { providerID: PROVIDER_ID },
      status: { initialization: { provisioned: true }, ready: true },
    });
    const { create, apply } = await decide(simMachineFunction, world(lost));
    expect(create).toBeUndefined();
    expect(apply).toMatchObject({
      "status.initialization.provisioned": true,
      "status.conditions": [{ type: "Ready", status: "False", reason: "NotReady" }, { type: "Paused" }],
    });
  });

  it("makes nothing for a Machine that goes", async () => {
    const going = soloMachine({
      metadata: { deletionTimestamp: DELETED },
      spec: { infrastructureRef: INFRA },
    });
    expect(await decide(simMachineFunction, world(going))).toEqual({ result: done });
  });

  it("deletes its instance, on a live read, then lets itself go; never the instance of another owner", async () => {
    const going = own({ metadata: { deletionTimestamp: DELETED } });
    const { delete: deleted } = await decide(simMachineFunction, world(going, instance()));
    expect(deleted?.map(({ target }) => `${target.kind.kind} ${target.name}`)).toEqual(["SimInstance m1"]);
    const foreign = instance({ metadata: { ownerReferences: [] } });
    for (const to of [world(going), world(going, foreign), world(going, instance()).goneLive(instance())]) {
      const { delete: none = [], patch } = await decide(simMachineFunction, to);
      expect(none).toEqual([]);
      expect(patch?.[0]?.operations).toContainEqual({ op: "remove", path: "/metadata/finalizers/0" });
    }
  });
});
