import { describe, expect, it } from "vitest";
import { toContractReference } from "../../../../shared/api/v1beta1/contract-reference.ts";

const PLACE = { field: "spec.infrastructureRef", namespace: "team-a" };
const REFERENCE = { apiVersion: "infrastructure.example.com/v1beta1", kind: "FooPool", name: "p1" };

function convert(changes: object): object {
  return toContractReference({ ...REFERENCE, ...changes }, PLACE);
}

describe("a reference of v1beta1", () => {
  it("keeps its group, kind and name and nothing else", () => {
    const rest = { namespace: "team-a", uid: "u", resourceVersion: "7", fieldPath: "spec" };
    expect(convert(rest)).toEqual({ apiGroup: "infrastructure.example.com", kind: "FooPool", name: "p1" });
    expect(convert({ namespace: "" })).toEqual(convert({}));
  });

  it.each([
    [{ apiVersion: undefined }, "spec.infrastructureRef.apiVersion: is missing"],
    [{ kind: "" }, "spec.infrastructureRef.kind: is missing"],
    [{ name: 3 }, "spec.infrastructureRef.name: is missing; a reference has apiVersion, kind and name"],
    [
      { apiVersion: "v1" },
      'spec.infrastructureRef.apiVersion: "v1" has no group; write that of the provider',
    ],
    [
      { namespace: "team-b" },
      'spec.infrastructureRef.namespace: "team-b" is not the object\'s own (team-a); v1beta2 has no references',
    ],
  ])("is refused with the field and the next step: %j", (changes, message) => {
    expect(() => convert(changes)).toThrow(message);
  });

  it.each([[null], ["text"], [[]]])("is refused when it is malformed: %j", (reference) => {
    expect(() => toContractReference(reference, PLACE)).toThrow(
      "spec.infrastructureRef.apiVersion: is missing",
    );
  });
});
