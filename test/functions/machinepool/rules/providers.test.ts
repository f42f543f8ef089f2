import { describe, expect, it } from "vitest";
import { providersOf } from "../../../../functions/machinepool/rules/providers.ts";
import { bootstrapConfig, found, infraMachinePool, machinePool } from "../../../support/builders.ts";

describe("provider objects of a pool", () => {
  it("are listed with their references, bootstrap first, and only those that are referenced", () => {
    const both = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
    const of = (pool = machinePool(), providers: Parameters<typeof providersOf>[1] = both) =>
      providersOf(pool, providers).map(({ on, reference }) => `${on.contract} ${reference.name}`);
    expect(of()).toEqual(["BootstrapConfig p1-config", "InfraMachinePool p1-infra"]);
    const bare = machinePool({ spec: { template: { spec: { bootstrap: { configRef: undefined } } } } });
    expect(of(bare, { ...both, bootstrap: undefined })).toEqual(["InfraMachinePool p1-infra"]);
  });
});
