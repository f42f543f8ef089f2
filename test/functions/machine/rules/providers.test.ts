import { describe, expect, it } from "vitest";
import { providersOf } from "../../../../functions/machine/rules/providers.ts";
import { ready, soloMachine } from "../../../support/machines.ts";

describe("provider objects of a Machine", () => {
  it("are listed with their references, config first, and only those that are referenced", () => {
    const of = (machine = soloMachine(), providers = ready()) =>
      providersOf(machine, providers).map(({ on, reference }) => `${on.contract} ${reference.name}`);
    expect(of()).toEqual(["BootstrapConfig m1-config", "InfraMachine m1"]);
    const bare = soloMachine({ spec: { bootstrap: { configRef: undefined } } });
    expect(of(bare, { ...ready(), bootstrap: undefined })).toEqual(["InfraMachine m1"]);
  });
});
