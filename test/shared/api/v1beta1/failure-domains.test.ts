import { describe, expect, it } from "vitest";
import { toFailureDomains } from "../../../../shared/api/v1beta1/failure-domains.ts";

const PLACE = { field: "status.failureDomains", namespace: "default" };

describe("failure domains of v1beta1", () => {
  it("become a list in the order of their names", () => {
    const domains = { b: { controlPlane: true }, a: { attributes: { zone: "1" } }, c: {} };
    expect(toFailureDomains(domains, PLACE)).toEqual([
      { name: "a", attributes: { zone: "1" } },
      { name: "b", controlPlane: true },
      { name: "c" },
    ]);
  });

  it.each([[[]], [null], ["a"]])("are refused when they are not a map: %j", (domains) => {
    expect(() => toFailureDomains(domains, PLACE)).toThrow("status.failureDomains: is not a map");
  });
});
