import { describe, expect, it } from "vitest";
import { simControlplaneGuard } from "../../../../../infra/playground/functions/sim/controlplane-guard.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import {
  CONTROL_PLANE_FINALIZER,
  domainCluster,
  machinesControlPlane,
  simServer,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

function world(...objects: readonly KubeObject[]) {
  return given(domainCluster(), machinesControlPlane(), simServer(), ...TEMPLATES, ...objects);
}

const provider = machinesControlPlane({ spec: { endpointMode: "provider" } });

describe("sim-controlplane-guard", () => {
  it("waits for the owner reference of the Cluster, and leaves what is deleted alone", async () => {
    const orphan = machinesControlPlane({ metadata: { ownerReferences: [] } });
    expect(await decide(simControlplaneGuard, world(orphan))).toEqual({
      result: waitFor("SimControlPlane.metadata.ownerReferences"),
    });
    const going = machinesControlPlane({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await decide(simControlplaneGuard, world(going))).toEqual({ result: done });
  });

  it("adds finalizer and v in one patch, and neither while paused", async () => {
    const bare = machinesControlPlane({ metadata: { finalizers: undefined }, spec: { version: "1.34.2" } });
    const paused = domainCluster({ spec: { paused: true } });
    expect(await decide(simControlplaneGuard, world(bare, paused))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
    const { patch } = await decide(simControlplaneGuard, world(bare));
    expect(patch?.map(({ operations }) => operations)).toEqual([
      [
        { op: "add", path: "/metadata/finalizers", value: [CONTROL_PLANE_FINALIZER] },
        { op: "replace", path: "/spec/version", value: "v1.34.2" },
      ],
    ]);
    expect(await decide(simControlplaneGuard, world(paused))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
  });

  it("has nothing to write when all is as wanted", async () => {
    expect(await decide(simControlplaneGuard, world())).toEqual({ patch: [], result: done });
  });

  it("makes the Cluster an owner of its templates, and looks again for a missing one", async () => {
    const [first, second] = TEMPLATES;
    const unowned = { ...first, metadata: { ...first.metadata, ownerReferences: undefined } };
    const { patch } = await decide(simControlplaneGuard, world(unowned));
    expect(patch).toMatchObject([
      {
        target: { name: "t1" },
        operations: [
          { op: "add", path: "/metadata/ownerReferences", value: [{ kind: "Cluster", uid: "uid-c1" }] },
        ],
      },
    ]);
    const { result } = await decide(simControlplaneGuard, world().without(second));
    expect(result).toEqual(requeueAfter(5_000, "SimBootstrapConfigTemplate t1 does not exist"));
  });

  it("keeps the server of an external control plane from waiting for Machines", async () => {
    const external = machinesControlPlane({ spec: { machineTemplate: undefined } });
    const { patch } = await decide(simControlplaneGuard, world(external));
    expect(patch?.map(({ operations }) => operations)).toEqual([
      [{ op: "remove", path: "/spec/onMachines" }],
    ]);
  });

  it("switches faults of the server on and off", async () => {
    const annotations = {
      "fault.sim.capstan.dev/unreachable": "",
      "fault.sim.capstan.dev/corrupt-kubeconfig": "",
    };
    const { patch } = await decide(
      simControlplaneGuard,
      world(machinesControlPlane({ metadata: { annotations } })),
    );
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/unreachable", value: true },
      { op: "add", path: "/spec/corruptKubeconfig", value: true },
    ]);
    const off = await decide(simControlplaneGuard, world(simServer({ spec: { unreachable: true } })));
    expect(off.patch?.[0]?.operations).toEqual([{ op: "remove", path: "/spec/unreachable" }]);
  });

  it("orders the server and publishes its address where it brings the endpoint", async () => {
    const cluster = domainCluster({ spec: { controlPlaneEndpoint: { host: "h", port: 7001 } } });
    const none = world(provider, cluster).without(simServer());
    const { create, result } = await decide(simControlplaneGuard, none);
    expect(create?.[0]?.object).toMatchObject({
      kind: "SimServer",
      metadata: {
        name: "c1",
        ownerReferences: [{ kind: "SimControlPlane", uid: "uid-cp", controller: true }],
      },
      spec: { clusterName: "c1", onMachines: true, port: 7001 },
    });
    expect(result).toEqual(waitFor("SimServer.status.host"));
    const early = world(provider, domainCluster({ status: { initialization: undefined } })).without(
      simServer(),
    );
    expect((await decide(simControlplaneGuard, early)).create).toBeUndefined();
    const hosted = machinesControlPlane({ spec: { endpointMode: "provider", machineTemplate: undefined } });
    const without = world(hosted, domainCluster({ status: { initialization: undefined } })).without(
      simServer(),
    );
    expect((await decide(simControlplaneGuard, without)).create).toHaveLength(1);
    const { patch } = await decide(simControlplaneGuard, world(provider));
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/controlPlaneEndpoint", value: { host: "127.0.0.1", port: 4711 } },
    ]);
  });
});
