import { describe, expect, it } from "vitest";
import {
  desiredMachineSpec,
  machineSpecAwaits,
  machineSpecPatch,
} from "../../../../functions/machine/rules/spec.ts";
import { found, missing } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

function operations(machine = soloMachine(), providers = ready()) {
  return machineSpecPatch(machine, desiredMachineSpec(machine, providers));
}

const FRESH = soloMachine({ spec: { providerID: undefined, bootstrap: { dataSecretName: undefined } } });

describe("the fields that a Machine copies from its provider objects", () => {
  it("are written together, and only those that differ", () => {
    expect(operations(FRESH)).toEqual([
      { op: "add", path: "/spec/bootstrap/dataSecretName", value: "m1-data" },
      { op: "add", path: "/spec/providerID", value: "foo://1" },
    ]);
    expect(operations()).toEqual([]);
  });

  it("follow a value that changes, and keep one that is no longer reported", () => {
    const moved = found(ownInfraMachine({ spec: { providerID: "foo://2", failureDomain: "az-2" } }));
    expect(operations(soloMachine(), { ...ready(), infrastructure: moved })).toEqual([
      { op: "add", path: "/spec/providerID", value: "foo://2" },
      { op: "add", path: "/spec/failureDomain", value: "az-2" },
    ]);
    const silent = found(ownInfraMachine({ spec: { providerID: undefined } }));
    expect(
      operations(soloMachine({ spec: { failureDomain: "az-1" } }), { ...ready(), infrastructure: silent }),
    ).toEqual([]);
  });

  it("come one by one when only one object is ready", () => {
    const providers = { ...ready(), infrastructure: missing(ownInfraMachine()) };
    expect(operations(FRESH, providers).map(({ path }) => path)).toEqual(["/spec/bootstrap/dataSecretName"]);
  });
});

describe("the wait of a Machine whose spec is not complete", () => {
  const unready = found(machineConfig({ status: { initialization: undefined, dataSecretName: undefined } }));
  const unprovisioned = found(ownInfraMachine({ status: { initialization: undefined } }));

  it.each([
    ["nothing is missing", soloMachine(), ready(), undefined],
    ["what is ready is about to be copied", FRESH, ready(), undefined],
    [
      "the config has no data",
      FRESH,
      { ...ready(), bootstrap: unready },
      "BootstrapConfig.status.initialization.dataSecretCreated",
    ],
    [
      "the infrastructure machine is not provisioned",
      FRESH,
      { ...ready(), infrastructure: unprovisioned },
      "InfraMachine.status.initialization.provisioned",
    ],
    [
      "the infrastructure machine is missing",
      FRESH,
      { ...ready(), infrastructure: missing(ownInfraMachine()) },
      "InfraMachine.metadata.uid",
    ],
    [
      "its fields are complete, whatever the objects say now",
      soloMachine(),
      { bootstrap: unready, infrastructure: unprovisioned },
      undefined,
    ],
  ])("%s", (_, machine, providers, awaited) => {
    expect(machineSpecAwaits(machine, providers)).toBe(awaited);
  });
});
