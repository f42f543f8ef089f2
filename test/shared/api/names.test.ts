import { describe, expect, it } from "vitest";
import { isLabelKey, isLabelValue, labelValueOf } from "../../../shared/api/names.ts";

describe("labels", () => {
  it.each(["a", "A.b_c-d", "example.com/tier", `${"p".repeat(253)}/${"n".repeat(63)}`])(
    "take the key %s",
    (key) => {
      expect(isLabelKey(key)).toBe(true);
    },
  );

  it.each(["", "/a", "a/", "a/b/c", "Example.com/a", "a b", "-a", "n".repeat(64), `${"p".repeat(254)}/n`])(
    "do not take the key %s",
    (key) => {
      expect(isLabelKey(key)).toBe(false);
    },
  );

  it("take words and nothing as a value, no text", () => {
    expect(["", "a", "1.2", "n".repeat(63)].filter(isLabelValue)).toHaveLength(4);
    expect(["-a", "a b", "ä", "n".repeat(64)].filter(isLabelValue)).toEqual([]);
  });
});

describe("labelValueOf", () => {
  it("is the name itself where it is a label value", () => {
    expect(labelValueOf("pool-1")).toBe("pool-1");
    expect(labelValueOf("p".repeat(63))).toBe("p".repeat(63));
  });

  it("is Cluster API's hash where it is not a label value", () => {
    expect(labelValueOf("machineSetName".repeat(12))).toBe("hash_FR_ghQ_z");
    expect(labelValueOf("pool.")).toMatch(/^hash_[-_A-Za-z0-9]{6}_z$/);
  });
});
