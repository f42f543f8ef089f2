import { describe, expect, it } from "vitest";
import { awaitedData, awaitedFleet } from "../../../../functions/machinepool/rules/awaited.ts";
import { bootstrapConfig, found, infraMachinePool, machinePool, missing } from "../../../support/builders.ts";

const BOTH = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
const NOT_YET = { status: { initialization: { dataSecretCreated: false }, ready: false } };

describe("awaitedData", () => {
  it.each([
    ["the name of the Secret", found(bootstrapConfig()), "BootstrapConfig.status.dataSecretName"],
    [
      "the flag before the name",
      found(bootstrapConfig(NOT_YET)),
      "BootstrapConfig.status.initialization.dataSecretCreated",
    ],
    ["the object", missing(bootstrapConfig()), "BootstrapConfig.metadata.uid"],
  ])("is %s", (_, bootstrap, awaited) => {
    expect(awaitedData(machinePool(), { ...BOTH, bootstrap })).toBe(awaited);
  });

  it("is the reference where there is none", () => {
    const pool = machinePool({ spec: { template: { spec: { bootstrap: { configRef: undefined } } } } });
    const field = "MachinePool.spec.template.spec.bootstrap.configRef";
    expect(awaitedData(pool, { ...BOTH, bootstrap: undefined })).toBe(field);
  });
});

describe("awaitedFleet", () => {
  it.each([
    ["the list", found(infraMachinePool()), "InfraMachinePool.spec.providerIDList"],
    ["the flag before the list", found(infraMachinePool(NOT_YET)), "InfraMachinePool.status.ready"],
    ["the object", missing(infraMachinePool()), "InfraMachinePool.metadata.uid"],
  ])("is %s", (_, infrastructure, awaited) => {
    expect(awaitedFleet(machinePool(), { ...BOTH, infrastructure })).toBe(awaited);
  });
});
