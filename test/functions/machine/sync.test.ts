import { describe, expect, it } from "vitest";
import { machineSync } from "../../../functions/machine/sync.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { machineConfig, OWNED_BY_M1, ownInfraMachine, soloMachine } from "../../support/machines.ts";
import { decide, given } from "../../support/world.ts";

const UNSYNCED = soloMachine({
  spec: { providerID: undefined, bootstrap: { dataSecretName: undefined } },
});
const NAME = { op: "add", path: "/spec/bootstrap/dataSecretName", value: "m1-data" };
const ID = { op: "add", path: "/spec/providerID", value: "foo://1" };

async function synced(...objects: readonly KubeObject[]) {
  const { patch, result } = await decide(machineSync, given(cluster(), ...objects));
  return { operations: patch?.[0]?.operations, result };
}

describe("machine-sync", () => {
  it("copies all values in one guarded patch", async () => {
    const infra = ownInfraMachine({ spec: { failureDomain: "az-1" } });
    const world = given(cluster(), UNSYNCED, machineConfig(), infra);
    const { patch, result } = await decide(machineSync, world);
    expect(patch).toHaveLength(1);
    expect(patch?.[0]?.target).toMatchObject({ uid: "uid-m1", resourceVersion: "70" });
    expect(patch?.[0]?.operations).toEqual([
      NAME,
      ID,
      { op: "add", path: "/spec/failureDomain", value: "az-1" },
    ]);
    expect(result).toEqual(done);
  });

  it("names only the field that changes, and follows it", async () => {
    const moved = ownInfraMachine({ spec: { providerID: "foo://9" } });
    expect((await synced(soloMachine(), machineConfig(), moved)).operations).toEqual([
      { ...ID, value: "foo://9" },
    ]);
    expect((await synced(soloMachine(), machineConfig(), ownInfraMachine())).operations).toEqual([]);
  });

  it("copies each value as soon as its own object has it, and names what is missing", async () => {
    const notYet = ownInfraMachine({ status: { initialization: { provisioned: false } } });
    expect(await synced(UNSYNCED, machineConfig(), notYet)).toEqual({
      operations: [NAME],
      result: waitFor("InfraMachine.status.initialization.provisioned"),
    });
    const nameless = ownInfraMachine({ spec: { providerID: "" } });
    expect(await synced(UNSYNCED, machineConfig(), nameless)).toEqual({
      operations: [NAME],
      result: waitFor("InfraMachine.spec.providerID"),
    });
    const young = machineConfig({ status: { initialization: undefined } });
    expect(await synced(UNSYNCED, young, ownInfraMachine())).toEqual({
      operations: [ID],
      result: waitFor("BootstrapConfig.status.initialization.dataSecretCreated"),
    });
  });

  it("takes nothing from an object that another one controls", async () => {
    const foreign = { metadata: { ownerReferences: [{ ...OWNED_BY_M1, name: "m2", uid: "uid-m2" }] } };
    const { operations, result } = await synced(UNSYNCED, machineConfig(), ownInfraMachine(foreign));
    expect(operations).toEqual([NAME]);
    expect(result).toEqual(waitFor("InfraMachine.metadata.ownerReferences"));
  });

  it.each([
    ["by kubectl", ["kubectl-edit"], []],
    ["by the author of a template", ["capstan-machineset-machines"], []],
    ["by Cluster API's set", ["capi-machineset"], []],
    ["by this function", ["capstan-machine-sync"], [NAME]],
    ["by Cluster API's manager", ["manager"], [NAME]],
    ["before a restore", ["velero-server"], [NAME]],
  ])("leaves a name alone that was set by a user: %s", async (_, managers, operations) => {
    const held = soloMachine({
      metadata: { managers: { "spec.bootstrap.dataSecretName": managers } },
      spec: { bootstrap: { dataSecretName: "mine" } },
    });
    expect((await synced(held, machineConfig(), ownInfraMachine())).operations).toEqual(operations);
  });
});
