import { describe, expect, it } from "vitest";
import {
  infrastructureReport,
  isProvisioned,
  knownProviderID,
} from "../../../../functions/machine/rules/infrastructure.ts";
import { found, missing } from "../../../support/builders.ts";
import { OWNED_BY_M1, ownInfraMachine, soloMachine } from "../../../support/machines.ts";

const ADDRESSES = [
  { type: "InternalIP", address: "10.0.0.1" },
  { type: "Hostname", address: "m1" },
];
const LATCHED = soloMachine({ status: { initialization: { infrastructureProvisioned: true } } });

function report(overrides: Parameters<typeof ownInfraMachine>[0] = {}, machine = soloMachine()) {
  return infrastructureReport(machine, found(ownInfraMachine(overrides)));
}

describe("values of an infrastructure machine", () => {
  it("are all that it reports, once it is provisioned", () => {
    const full = {
      spec: { failureDomain: "az-1" },
      status: { failureDomain: "az-2", addresses: ADDRESSES },
    };
    expect(report(full)).toEqual({
      providerID: "foo://1",
      wantedFailureDomain: "az-1",
      failureDomain: "az-2",
      addresses: ADDRESSES,
      message: undefined,
    });
  });

  it.each([
    ["it is not provisioned", { status: { initialization: { provisioned: false } } }],
    [
      "it has no provider ID, whatever the flag says",
      { spec: { providerID: undefined } },
      "waiting for spec.providerID",
    ],
    ["its provider ID is empty", { spec: { providerID: "" } }, "waiting for spec.providerID"],
    ["it goes away", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }],
    [
      "it is another one's",
      { metadata: { ownerReferences: [{ ...OWNED_BY_M1, uid: "uid-m2", name: "m2" }] } },
    ],
  ])("are not taken while %s", (_, overrides, problem = undefined) => {
    const { message, ...values } = report({ ...overrides });
    expect([values, message]).toEqual([{}, problem]);
  });

  it("follow the object when its flag has gone back: the latch stays", () => {
    expect(report({ status: { initialization: { provisioned: false } } }, LATCHED)).toMatchObject({
      providerID: "foo://1",
    });
    expect(isProvisioned(LATCHED, {})).toBe(true);
  });

  it.each([
    [
      "status.initialization.provisioned is not a boolean",
      { status: { initialization: { provisioned: "yes" } } },
    ],
    ["spec.providerID is not a string", { spec: { providerID: 1 } }],
    ["spec.providerID has more than 512 characters", { spec: { providerID: "x".repeat(513) } }],
  ])("are not taken, and the message says: %s", (message, overrides) => {
    expect(report(overrides)).toEqual({ message });
  });

  it.each([
    ["spec.failureDomain is not a string", { spec: { failureDomain: {} } }],
    ["status.failureDomain has more than 256 characters", { status: { failureDomain: "x".repeat(257) } }],
    [
      "status.addresses is not a list of at most 256 addresses with type and address",
      { status: { addresses: [{ type: "Moon" }] } },
    ],
    [
      "status.addresses is not a list of at most 256 addresses with type and address",
      { status: { addresses: Array(257).fill(ADDRESSES[0]) } },
    ],
  ])("lose only the one that is wrong: %s", (message, overrides) => {
    expect(report(overrides)).toMatchObject({ providerID: "foo://1", message });
  });

  it("set the latch no earlier than the provider ID is in the spec", () => {
    const young = soloMachine({ spec: { providerID: undefined } });
    expect(isProvisioned(young, report())).toBe(false);
    expect(isProvisioned(soloMachine(), report())).toBe(true);
    expect(isProvisioned(soloMachine(), {})).toBe(false);
    const heldBy = (manager: string) => ({ metadata: { managers: { "spec.providerID": [manager] } } });
    expect(isProvisioned(soloMachine(heldBy("kubectl-edit")), {})).toBe(false);
    expect(isProvisioned(soloMachine(heldBy("capstan-machine-sync")), {})).toBe(true);
  });
});

describe("the provider ID by which the Node of a Machine is found", () => {
  const going = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
  const without = { spec: { providerID: undefined } };
  const unready = ownInfraMachine({ status: { initialization: { provisioned: false } } });
  const foreign = ownInfraMachine({ metadata: { ownerReferences: [] } });
  const other = ownInfraMachine({ spec: { providerID: "foo://2" } });

  it.each([
    ["is its own, whatever the infrastructure machine says", soloMachine(going), found(other), "foo://1"],
    ["is not copied from it here while the Machine lives", soloMachine(without), found(unready), undefined],
    [
      "is that of the infrastructure machine when it is deleted before it had its own",
      soloMachine({ ...going, ...without }),
      found(unready),
      "foo://1",
    ],
    ["is never that of another's", soloMachine({ ...going, ...without }), found(foreign), undefined],
    ["is missing when both are", soloMachine({ ...going, ...without }), missing(unready), undefined],
  ])("%s", (_, machine, infrastructure, providerID) => {
    expect(knownProviderID(machine, infrastructure)).toBe(providerID);
  });
});
