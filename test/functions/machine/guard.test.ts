import { describe, expect, it } from "vitest";
import { machineGuard } from "../../../functions/machine/guard.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { routeChange } from "../../../shared/runtime/queue/route.ts";
import { cluster, machine, merge } from "../../support/builders.ts";
import { soloMachine } from "../../support/machines.ts";
import { decide, given } from "../../support/world.ts";

const BARE = soloMachine({
  metadata: { finalizers: undefined, labels: undefined, ownerReferences: undefined },
  spec: { deletion: undefined },
});

describe("machine-guard", () => {
  it("makes a new Machine safe in one guarded patch", async () => {
    const { patch, events, result } = await decide(machineGuard, given(cluster(), BARE));
    expect(patch).toMatchObject([{ target: { kind: Machine, uid: "uid-m1", resourceVersion: "70" } }]);
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/metadata/finalizers", value: ["machine.cluster.x-k8s.io"] },
      { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
      {
        op: "add",
        path: "/metadata/ownerReferences",
        value: [{ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" }],
      },
      { op: "add", path: "/spec/deletion", value: { nodeDeletionTimeoutSeconds: 10 } },
    ]);
    expect({ events, result }).toEqual({ events: [], result: done });
  });

  it("waits for the Cluster, also with the finalizer", async () => {
    expect(await decide(machineGuard, given(BARE))).toEqual({ result: waitFor("Cluster.metadata.uid") });
  });

  it("adds the finalizer of a pool's Machine, which is made without", async () => {
    const { patch } = await decide(machineGuard, given(cluster(), machine()));
    expect(patch?.[0]?.operations.map(({ path }) => path)).toEqual([
      "/metadata/finalizers",
      "/spec/deletion",
    ]);
  });

  it("adds to a paused Machine the finalizer only, to a deleted one nothing", async () => {
    const operationsIn = async (of: ReturnType<typeof cluster>, metadata: object) => {
      const young = merge<Machine>(BARE, { metadata });
      const { patch, events } = await decide(machineGuard, given(of, young));
      expect(events).toEqual([]);
      return patch?.[0]?.operations.map(({ path }) => path);
    };
    expect(await operationsIn(cluster({ spec: { paused: true } }), {})).toEqual(["/metadata/finalizers"]);
    const going = { deletionTimestamp: "2026-01-01T11:00:00Z" };
    expect(await operationsIn(cluster(), going)).toEqual([]);
  });

  it("reports what admission would have refused, and works on it all the same", async () => {
    const odd = soloMachine({
      spec: { bootstrap: { configRef: undefined, dataSecretName: undefined }, version: "latest" },
    });
    const { events } = await decide(machineGuard, given(cluster(), odd));
    expect(events?.map(({ reason }) => reason)).toEqual(["MissingBootstrap", "InvalidVersion"]);
    const bare = soloMachine({ spec: { version: "1.34.2" } });
    const { events: none, patch } = await decide(machineGuard, given(cluster(), bare));
    expect([none, patch?.[0]?.operations]).toEqual([[], []]);
  });

  it.each([
    ["the name of the bootstrap data", { dataSecretName: "m1-data" }, []],
    ["the end of the reference to the config", { configRef: undefined }, ["machine-guard"]],
  ])("%s wakes %j", async (_, bootstrap, names) => {
    const before = soloMachine({ spec: { bootstrap: { dataSecretName: undefined } } });
    const after = merge(before, { spec: { bootstrap } });
    const found = { namespace: "default", name: before.metadata.name, tenant: "default/c1" };
    const lookup = { find: async () => [found], get: async () => after as never };
    const change = { kind: Machine, cluster: MANAGEMENT, before, after };
    const woken = await routeChange([machineGuard], change, lookup);
    expect(woken.map(({ functionName }) => functionName)).toEqual(names);
  });
});
