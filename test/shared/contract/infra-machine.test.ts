import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import { readBoolean, readString } from "../../../shared/contract/fields.ts";
import { InfraMachine, infraMachinePath, infraMachinePaths } from "../../../shared/contract/infra-machine.ts";
import { ownInfraMachine, soloMachine } from "../../support/machines.ts";

describe("InfraMachine", () => {
  it("is found where a Machine names its infrastructure", () => {
    const [by] = InfraMachine.referencedBy;
    expect(valueAt(soloMachine(), by?.path ?? "")).toMatchObject({ name: "m1" });
  });

  it("is provisioned by the flag of its contract only", () => {
    const old = ownInfraMachine({ status: { initialization: undefined, ready: true } });
    expect(readBoolean(old, infraMachinePath("v1beta1", "provisioned"))).toEqual({ value: true });
    expect(readBoolean(old, infraMachinePath("v1beta2", "provisioned"))).toEqual({});
  });

  it("has its other fields in the same place under both contracts, watched once", () => {
    for (const contract of ["v1beta1", "v1beta2"] as const)
      expect(readString(ownInfraMachine(), infraMachinePath(contract, "providerID")).value).toBe("foo://1");
    expect(infraMachinePaths("providerID", "provisioned", "addresses")).toEqual([
      "spec.providerID",
      "status.ready",
      "status.addresses",
      "status.initialization.provisioned",
    ]);
  });
});
