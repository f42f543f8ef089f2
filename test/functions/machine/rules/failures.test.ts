import { describe, expect, it } from "vitest";
import { machineFailure } from "../../../../functions/machine/rules/failures.ts";
import { found, missing, unresolved } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

const LATCHED = { status: { initialization: { infrastructureProvisioned: true } } };
const LOST = {
  failureReason: "InvalidConfiguration",
  failureMessage:
    "Machine infrastructure resource FooMachine default/m1 has been deleted after provisioning was completed",
};
const GONE = { ...ready(), infrastructure: missing(ownInfraMachine()) };

function failing(of: typeof machineConfig | typeof ownInfraMachine, failureReason: string) {
  return found(of({ status: { failureReason, failureMessage: "no quota" } }));
}

describe("terminal failures of a Machine", () => {
  it("are missing while the provider objects report nothing", () => {
    expect(machineFailure(soloMachine(LATCHED), ready())).toEqual({});
  });

  it("name the object that reports them; infrastructure wins over bootstrap", () => {
    const config = failing(machineConfig, "ConfigBroken");
    expect(machineFailure(soloMachine(), { ...ready(), bootstrap: config })).toEqual({
      failureReason: "ConfigBroken",
      failureMessage:
        'Failure detected from referenced resource bootstrap.cluster.x-k8s.io/v1, Kind=FooConfig with name "m1-config": no quota',
    });
    const infrastructure = failing(ownInfraMachine, "InsufficientResources");
    expect(machineFailure(soloMachine(), { bootstrap: config, infrastructure }).failureReason).toBe(
      "InsufficientResources",
    );
  });

  it("of an object that another controls are not the Machine's", () => {
    const foreign = found(
      ownInfraMachine({ metadata: { ownerReferences: [] }, status: { failureReason: "Broken" } }),
    );
    expect(machineFailure(soloMachine(), { ...ready(), infrastructure: foreign })).toEqual({});
  });

  it.each([
    ["is a failure once it was provisioned", soloMachine(LATCHED), GONE, LOST],
    ["is not a failure before: it is still to come", soloMachine(), GONE, {}],
    [
      "is not a failure of a Machine that is being deleted",
      soloMachine({ ...LATCHED, metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }),
      GONE,
      {},
    ],
    [
      "is not known while its definition is gone",
      soloMachine(LATCHED),
      { ...ready(), infrastructure: unresolved(false) },
      {},
    ],
  ])("the loss of the infrastructure machine %s", (_, machine, providers, failure) => {
    expect(machineFailure(machine, providers)).toEqual(failure);
  });

  it("stay when nothing reports them now", () => {
    const stored = { failureReason: "Broken", failureMessage: "it was" };
    const machine = soloMachine({ status: { deprecated: { v1beta1: stored } } });
    expect(machineFailure(machine, ready())).toEqual(stored);
  });
});
