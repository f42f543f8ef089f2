import { describe, expect, it } from "vitest";
import { machineFailure } from "../../../../functions/machine/rules/failures.ts";
import { missing, unresolved } from "../../../support/builders.ts";
import { ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

const LATCHED = { status: { initialization: { infrastructureProvisioned: true } } };
const LOST = {
  failureReason: "InvalidConfiguration",
  failureMessage:
    "Machine infrastructure resource FooMachine default/m1 has been deleted after provisioning was completed",
};
const GONE = { ...ready(), infrastructure: missing(ownInfraMachine()) };

describe("terminal failures of a Machine", () => {
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
});
