import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSeconds } from "../../../../shared/api/v1beta1/seconds.ts";

const PLACE = { field: "spec.nodeDrainTimeout", namespace: "default" };

describe("a duration of v1beta1", () => {
  it.each([
    ["0", 0],
    ["0s", 0],
    ["10m", 600],
    ["1h30m", 5_400],
    ["1h2m3s", 3_723],
    ["1500ms", 1],
    ["999999999ns", 0],
    ["0.5s0.5s", 1],
    ["1.5h", 5_400],
    [".5m", 30],
    ["3us2µs", 0],
    ["2562047h", 2_147_483_647],
  ])("%s is %d whole seconds in v1beta2, truncated and at most 2^31 - 1", (duration, seconds) => {
    expect(toSeconds(duration, PLACE)).toBe(seconds);
  });

  it.each([["10"], ["-5s"], ["1d"], [""], ["5 s"], ["1h-1m"], [10], [null], [{}]])(
    "is refused with the field and what to write: %j",
    (duration) => {
      expect(() => toSeconds(duration, PLACE)).toThrow(
        `spec.nodeDrainTimeout: ${JSON.stringify(duration)} is not a duration of at least 0; write it with units, such as 90s, 10m or 1h30m`,
      );
    },
  );

  it("is the sum of its parts, whatever their order", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(500), fc.constantFrom("h", "m", "s"))),
        fc.nat(999),
        (parts, rest) => {
          const factors = { h: 3_600, m: 60, s: 1 };
          const sum = parts.reduce((total, [amount, unit]) => total + amount * factors[unit], 0);
          const text = `${parts.map(([amount, unit]) => `${amount}${unit}`).join("")}${rest}ms`;
          expect(toSeconds(text, PLACE)).toBe(sum);
        },
      ),
    ));
});

describe("texts of a megabyte", () => {
  it.each(["0", "1.", "1h", "1m1"])("of %s are refused at once", (part) => {
    const text = part.repeat(1_000_000 / part.length);
    expect(() => toSeconds(text, PLACE)).toThrow(/^spec.nodeDrainTimeout: .{256} is not a duration/);
  });
});
