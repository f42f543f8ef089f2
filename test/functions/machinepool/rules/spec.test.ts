import { describe, expect, it } from "vitest";
import { desiredPoolSpec, poolSpecPatch } from "../../../../functions/machinepool/rules/spec.ts";
import { bootstrapConfig, found, infraMachinePool, machinePool, missing } from "../../../support/builders.ts";

describe("desiredPoolSpec", () => {
  it("takes one value although the other object is missing", () => {
    const providers = { bootstrap: missing(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
    expect(desiredPoolSpec(machinePool(), providers)).toEqual({
      providerIDList: ["foo://1", "foo://2", "foo://3"],
    });
  });
});

describe("poolSpecPatch", () => {
  it("never takes a value away", () => {
    expect(poolSpecPatch(machinePool(), {})).toEqual([]);
  });

  it("has nothing to write for equal values, an absent list being empty", () => {
    const pool = machinePool({ spec: { providerIDList: undefined } });
    expect(poolSpecPatch(pool, { dataSecretName: "p1-data", providerIDList: [] })).toEqual([]);
  });

  it("writes a list that differs only in its order", () => {
    const list = ["foo://2", "foo://1", "foo://3"];
    expect(poolSpecPatch(machinePool(), { providerIDList: list })).toEqual([
      { op: "add", path: "/spec/providerIDList", value: list },
    ]);
  });

  it("writes the empty list of a pool scaled to zero", () => {
    expect(poolSpecPatch(machinePool(), { providerIDList: [] })).toEqual([
      { op: "add", path: "/spec/providerIDList", value: [] },
    ]);
  });

  it("follows a new config with its new name", () => {
    expect(poolSpecPatch(machinePool(), { dataSecretName: "p1-data-2" })).toEqual([
      { op: "add", path: "/spec/template/spec/bootstrap/dataSecretName", value: "p1-data-2" },
    ]);
  });
});
