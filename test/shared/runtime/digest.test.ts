import { describe, expect, it } from "vitest";
import { canonical, digestOf } from "../../../shared/runtime/digest.ts";

describe("digest of a JSON value", () => {
  it("is the SHA-256 of its canonical text", async () => {
    expect(await digestOf({})).toBe(
      "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    );
  });

  it("does not depend on the order of members, at any depth", async () => {
    const one = { a: 1, b: { c: [{ d: 2, e: 3 }], f: null } };
    const other = { b: { f: null, c: [{ e: 3, d: 2 }] }, a: 1 };
    expect(await digestOf(one)).toBe(await digestOf(other));
  });

  it("depends on the order of elements and on the type of a value", async () => {
    expect(await digestOf([1, 2])).not.toBe(await digestOf([2, 1]));
    expect(await digestOf({ a: 1 })).not.toBe(await digestOf({ a: "1" }));
    expect(await digestOf({ a: null })).not.toBe(await digestOf({}));
  });

  it("takes undefined as JSON does: absent as a member, null as an element", () => {
    expect(canonical({ b: undefined, a: [undefined, 'x"'] })).toBe('{"a":[null,"x\\""]}');
  });
});
