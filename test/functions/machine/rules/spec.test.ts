import { describe, expect, it } from "vitest";
import { machineSpecAwaits } from "../../../../functions/machine/rules/spec.ts";
import { found, missing } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

const FRESH = soloMachine({ spec: { providerID: undefined, bootstrap: { dataSecretName: undefined } } });

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
