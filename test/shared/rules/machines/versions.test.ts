import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addVersions,
  compareVersions,
  countVersions,
  isPrefixedVersion,
  prefixedVersion,
} from "../../../../shared/rules/machines/versions.ts";

describe("countVersions", () => {
  it("counts in the order of semantic versions, build metadata compared, other texts last and by text", () => {
    expect(countVersions(["x", "v1.10.0", "v1.9.1", "v1.9.1+b", "a", "v1.9.1-rc.1", "v1.9.1"])).toEqual([
      { version: "v1.9.1-rc.1", replicas: 1 },
      { version: "v1.9.1", replicas: 2 },
      { version: "v1.9.1+b", replicas: 1 },
      { version: "v1.10.0", replicas: 1 },
      { version: "a", replicas: 1 },
      { version: "x", replicas: 1 },
    ]);
  });

  it("is absent when there is nothing to count", () => {
    expect(countVersions([])).toBeUndefined();
    expect(countVersions(["", "v".repeat(257)])).toBeUndefined();
  });

  it("never has more entries than the schema takes", () => {
    expect(countVersions(Array.from({ length: 150 }, (_, minor) => `v1.${minor}.0`))).toHaveLength(100);
  });

  it("adds up lists that are counted already", () => {
    expect(
      addVersions([
        { version: "v2.0.0", replicas: 2 },
        { version: "v1.0.0", replicas: 1 },
        { version: "v2.0.0", replicas: 3 },
      ]),
    ).toEqual([
      { version: "v1.0.0", replicas: 1 },
      { version: "v2.0.0", replicas: 5 },
    ]);
  });

  it("orders any texts the same way round", async () => {
    const version = fc.oneof(fc.string(), fc.constantFrom("v1.0.0", "1.0.0", "v1.0.0+a", "v1.0.0-rc.1"));
    await fc.assert(
      fc.property(version, version, (a, b) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
      }),
    );
  });

  it("has a v in front as admission leaves it, and is read as if it had one", () => {
    expect(["v1.34.2", "v1.34.2-rc.1+build.5"].filter(isPrefixedVersion)).toHaveLength(2);
    expect(["1.34.2", "v1.34", "v01.34.2", "v"].filter(isPrefixedVersion)).toEqual([]);
    expect(["v1.34.2", "1.34.2"].map(prefixedVersion)).toEqual(["v1.34.2", "v1.34.2"]);
  });
});
