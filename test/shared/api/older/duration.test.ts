import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDuration, toSeconds } from "../../../../shared/api/older/duration.ts";

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
    ["-90.5s", -90],
  ])("%s is %d whole seconds in v1beta2, truncated and at most 2^31 - 1", (duration, seconds) => {
    expect(toSeconds(duration)).toBe(seconds);
  });

  it.each([["10"], ["1d"], [""], ["5 s"], ["1h-1m"], [10], [null], [{}]])(
    "is refused with what to write: %j",
    (duration) => {
      expect(() => toSeconds(duration)).toThrow(
        `${JSON.stringify(duration)} is not a duration; write it with units, such as 90s, 10m or 1h30m`,
      );
    },
  );

  it.each([0, 1, 59, 60, 600, 3600, 5_400, 3_723, 2_147_483_647, -90])(
    "of %d seconds is the same again",
    (seconds) => {
      expect(toSeconds(toDuration(seconds))).toBe(seconds);
    },
  );

  it("is written as Go writes it", () => {
    expect([0, 600, 3600, -90].map(toDuration)).toEqual(["0s", "10m0s", "1h0m0s", "-1m30s"]);
  });

  it("is the sum of its parts, whatever their order", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(500), fc.constantFrom("h", "m", "s"))),
        fc.nat(999),
        (parts, rest) => {
          const factors = { h: 3_600, m: 60, s: 1 };
          const sum = parts.reduce((total, [amount, unit]) => total + amount * factors[unit], 0);
          const text = `${parts.map(([amount, unit]) => `${amount}${unit}`).join("")}${rest}ms`;
          expect(toSeconds(text)).toBe(sum);
        },
      ),
    ));
});

describe("texts of a megabyte", () => {
  it.each(["0", "1.", "1h", "1m1"])("of %s are refused at once", (part) => {
    const text = part.repeat(1_000_000 / part.length);
    expect(() => toSeconds(text)).toThrow(/^.{256} is not a duration/);
  });
});
