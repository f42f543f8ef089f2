import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatKey, parseKey } from "../../../../shared/runtime/queue/key.ts";

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/);

describe("keys", () => {
  it("read back what was written", () => {
    const parts = fc.record({
      tenant: fc.tuple(name, fc.oneof(name, fc.constant("-"))).map(([a, b]) => `${a}/${b}`),
      kind: fc.constantFrom("MachinePool", "Cluster"),
      namespace: fc.oneof(name, fc.constant("")),
      name,
    });
    fc.assert(
      fc.property(parts, (one) => {
        expect(parseKey(formatKey(one))).toEqual(one);
      }),
    );
  });

  it("S-27: of hostile names are never read as the key of another object or tenant", () => {
    const hostile = fc.oneof(
      name,
      fc.string({ unit: fc.constantFrom(..."a/|:{}.-A\n*\u0000é") }),
      fc.constantFrom("b/-|Cluster|b/c", "a|b", "../b", "{cap:x}:l:", "-", ""),
    );
    const parts = fc.record({ tenant: hostile, kind: hostile, namespace: hostile, name: hostile });
    fc.assert(
      fc.property(parts, (one) => {
        expect([one, undefined]).toContainEqual(parseKey(formatKey(one)));
      }),
    );
  });

  it.each([
    "",
    "a/b",
    "a/b|MachinePool|noslash",
    "a/b|MachinePool|ns/name|more",
    "a|MachinePool|ns/name",
    "a/b|Machine Pool|ns/name",
    "a/b|MachinePool|ns/Name",
    "a/b|MachinePool|ns/../etc",
    `a/b|MachinePool|ns/${"x".repeat(1 << 20)}`,
  ])("refuse hostile text %#", (text) => {
    expect(parseKey(text)).toBeUndefined();
  });

  it("never throw on arbitrary text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseKey(text);
      }),
    );
  });
});
