import { describe, expect, it } from "vitest";
import { poolSpecPatch } from "../../../../functions/machinepool/rules/spec.ts";
import { machinePool } from "../../../support/builders.ts";

describe("poolSpecPatch", () => {
  it("never takes a value away", () => {
    expect(poolSpecPatch(machinePool(), {})).toEqual([]);
  });
});
