import { describe, expect, it } from "vitest";
import { machinepoolSync } from "../../../functions/machinepool/sync.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import {
  bootstrapConfig,
  cluster,
  infraMachinePool,
  machinePool,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const UNSYNCED = machinePool({
  spec: {
    providerIDList: undefined,
    template: { spec: { bootstrap: { dataSecretName: undefined } } },
  },
});

describe("machinepool-sync", () => {
  it("copies the name and the list in one guarded patch", async () => {
    const world = given(cluster(), UNSYNCED, bootstrapConfig(), infraMachinePool());
    const { patch, result } = await decide(machinepoolSync, world);
    expect(patch).toHaveLength(1);
    expect(patch?.[0]?.target).toMatchObject({ uid: "uid-p1", resourceVersion: "20" });
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/template/spec/bootstrap/dataSecretName", value: "p1-data" },
      { op: "add", path: "/spec/providerIDList", value: ["foo://1", "foo://2", "foo://3"] },
    ]);
    expect(result).toEqual(done);
  });

  it("names only the field that changes", async () => {
    const grown = infraMachinePool({ spec: { providerIDList: ["foo://1", "foo://4"] } });
    const { patch } = await decide(
      machinepoolSync,
      given(cluster(), machinePool(), bootstrapConfig(), grown),
    );
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/providerIDList", value: ["foo://1", "foo://4"] },
    ]);
  });

  it("has nothing to write when both are copied", async () => {
    const world = given(cluster(), machinePool(), bootstrapConfig(), infraMachinePool());
    expect((await decide(machinepoolSync, world)).patch?.[0]?.operations).toEqual([]);
  });

  it("takes nothing from an object that another pool controls", async () => {
    const foreign = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };
    const world = given(cluster(), UNSYNCED, bootstrapConfig(foreign), infraMachinePool());
    expect((await decide(machinepoolSync, world)).patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/providerIDList", value: ["foo://1", "foo://2", "foo://3"] },
    ]);
  });

  it("names what its providers have not written yet", async () => {
    const awaited = async (...providers: readonly ReturnType<typeof bootstrapConfig>[]) =>
      (await decide(machinepoolSync, given(cluster(), UNSYNCED, ...providers))).result;
    const config = bootstrapConfig({ status: { initialization: { dataSecretCreated: false } } });
    const infra = infraMachinePool({ status: { ready: false } });
    const free = { metadata: { ownerReferences: undefined } };
    expect(await awaited()).toEqual(waitFor("BootstrapConfig.metadata.uid"));
    expect(await awaited(bootstrapConfig(free))).toEqual(waitFor("BootstrapConfig.metadata.ownerReferences"));
    expect(await awaited(bootstrapConfig(), infraMachinePool(free))).toEqual(
      waitFor("InfraMachinePool.metadata.ownerReferences"),
    );
    const nameless = bootstrapConfig({ status: { dataSecretName: undefined } });
    expect(await awaited(nameless, infra)).toEqual(waitFor("BootstrapConfig.status.dataSecretName"));
    expect(await awaited(config, infra)).toEqual(
      waitFor("BootstrapConfig.status.initialization.dataSecretCreated"),
    );
    expect(await awaited(bootstrapConfig())).toEqual(waitFor("InfraMachinePool.metadata.uid"));
    expect(await awaited(bootstrapConfig(), infra)).toEqual(waitFor("InfraMachinePool.status.ready"));
    const empty = infraMachinePool({ spec: { providerIDList: [] } });
    expect(await awaited(bootstrapConfig(), empty)).toEqual(waitFor("InfraMachinePool.spec.providerIDList"));
  });

  it("waits while the pool is not guarded, paused or without Cluster, and does nothing while deleting", async () => {
    const unguarded = machinePool({ metadata: { finalizers: undefined } });
    const deleted = machinePool({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    const paused = cluster({ spec: { paused: true } });
    expect(await decide(machinepoolSync, given(cluster(), unguarded))).toEqual({
      result: waitFor("MachinePool.metadata.finalizers"),
    });
    expect(await decide(machinepoolSync, given(paused, UNSYNCED))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
    expect(await decide(machinepoolSync, given(UNSYNCED))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(await decide(machinepoolSync, given(cluster(), deleted))).toEqual({ result: done });
  });
});
