import { describe, expect, it } from "vitest";
import { labelValueOf } from "../../../shared/rules/names.ts";

describe("labelValueOf", () => {
  it("is the name itself where it is a label value", () => {
    expect(labelValueOf("pool-1")).toBe("pool-1");
    expect(labelValueOf("p".repeat(63))).toBe("p".repeat(63));
  });

  it("is Cluster API's hash where it is none", () => {
    expect(labelValueOf("machineSetName".repeat(12))).toBe("hash_FR_ghQ_z");
    expect(labelValueOf("pool.")).toMatch(/^hash_[-_A-Za-z0-9]{6}_z$/);
  });
});
