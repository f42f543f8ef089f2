import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyOf,
  fitsIntoMessage,
  groupOf,
  parseBody,
} from "../../../../../infra/queue/backends/sqs/sqs-token.ts";

const KEY = "ns/c|Machine|ns/a";

describe("a token as an SQS message", () => {
  it("comes back as it was sent, whatever the key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 480 }), (key) => {
        const body = bodyOf({ key, seq: "e-1" });
        expect(parseBody(body, "live")).toEqual({ key, seq: "e-1", priority: "live" });
        expect(body).toMatch(/^[ -~]*$/);
      }),
    );
  });

  it("S-20: is nothing else than what Capstan sends", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (body) => {
        expect(parseBody(body, "live")).toBeUndefined();
      }),
    );
    expect(parseBody(bodyOf({ key: "k".repeat(4_096), seq: "e-1" }), "live")).toBeUndefined();
    expect(parseBody(bodyOf({ key: KEY, seq: "s".repeat(129) }), "live")).toBeUndefined();
  });

  it("has room for every key that Capstan makes, and says when a key is too long", () => {
    expect(fitsIntoMessage("x".repeat(480))).toBe(true);
    expect(fitsIntoMessage("\u{1F600}".repeat(240))).toBe(true);
    expect(fitsIntoMessage("x".repeat(4_096))).toBe(false);
    expect(fitsIntoMessage("é".repeat(1_000))).toBe(false);
  });

  it("belongs to the group of its tenant, in characters and length that SQS takes", () => {
    expect(groupOf(KEY)).toBe("ns/c");
    expect(groupOf(`ns/${"c".repeat(253)}|Machine|ns/a`)).toMatch(/^[0-9a-f]{64}$/);
    for (const key of ["", "|a", "a b|c", "ü|c"]) expect(groupOf(key)).toMatch(/^[!-~]{1,128}$/);
  });
});
