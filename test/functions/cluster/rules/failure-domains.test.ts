import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureDomainsOf } from "../../../../functions/cluster/rules/failure-domains.ts";

const A = { name: "a", controlPlane: true, attributes: { zone: "1" } };
const B = { name: "b", controlPlane: false };

describe("failureDomainsOf", () => {
  it("reads a list under v1beta2 and a map under v1beta1", () => {
    const read = { state: "read", domains: [A, B] };
    expect(failureDomainsOf([{ name: "b" }, A], "v1beta2")).toEqual(read);
    const map = { b: {}, a: { controlPlane: true, attributes: { zone: "1" } } };
    expect(failureDomainsOf(map, "v1beta1")).toEqual(read);
  });

  it.each([
    ["a map under v1beta2", { a: {} }, "v1beta2"],
    ["a list under v1beta1", [A], "v1beta1"],
    ["a domain without name", [{ controlPlane: true }], "v1beta2"],
    ["a domain that is a text", ["a"], "v1beta2"],
    ["a flag that is a text", { a: { controlPlane: "true" } }, "v1beta1"],
    ["attributes that are not texts", [{ name: "a", attributes: { zone: 1 } }], "v1beta2"],
    [
      "more domains than the Cluster can hold",
      Array.from({ length: 101 }, (_, i) => ({ name: `d${i}` })),
      "v1beta2",
    ],
  ] as const)("calls %s malformed", (_, value, contract) => {
    expect(failureDomainsOf(value, contract)).toMatchObject({ state: "malformed" });
  });

  it("removes the list when the provider has none", () => {
    for (const value of [undefined, null, []]) {
      expect(failureDomainsOf(value, "v1beta2")).toEqual({ state: "read", domains: undefined });
    }
  });

  it("gives the same list whatever the order of the source", async () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 8 });
    await fc.assert(
      fc.property(names, (list) => {
        const domains = list.map((name) => ({ name, controlPlane: true }));
        expect(failureDomainsOf(domains.toReversed(), "v1beta2")).toEqual(
          failureDomainsOf(domains, "v1beta2"),
        );
      }),
    );
  });
});
