import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseVersion } from "../../../../shared/api/kubernetes-version.ts";
import {
  addVersions,
  compareVersions,
  countVersions,
  isBehind,
  isWholeVersion,
  prefixedVersion,
  versionText,
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

  it("is whole with or without v, and is written with it", () => {
    expect(["v1.34.2", "1.34.2", "v1.34.2-rc.1+build.5"].filter(isWholeVersion)).toHaveLength(3);
    expect(["v1.34", "v01.34.2", "v", "latest"].filter(isWholeVersion)).toEqual([]);
    expect(["v1.34.2", "1.34.2"].map(prefixedVersion)).toEqual(["v1.34.2", "v1.34.2"]);
  });

  it.each([
    ["v1.33", "1.33.0"],
    ["1.33", "1.33.0"],
    ["1", "1.0.0"],
    [" v1.033.02 ", "1.33.2"],
    ["v1.33.2-k0s.0", "1.33.2-k0s.0"],
    ["v1.33.2+rke2r1", "1.33.2+rke2r1"],
    ["v1.33.2-eks-4a3b2c1", "1.33.2-eks-4a3b2c1"],
    ["v1.33-rc.1", undefined],
    ["vv1.33.2", undefined],
    ["latest", undefined],
    ["", undefined],
  ])("reads %s as %s", (text, expected) => {
    const parsed = parseVersion(text);
    expect(parsed && versionText(parsed)).toBe(expected);
  });

  it.each([
    ["v1.33.2", "v1.33.3", true],
    ["v1.33.2", "v1.33.2", false],
    ["v1.33.2+rke2r1", "v1.33.2+rke2r2", true],
    ["v1.33.2+rke2r2", "v1.33.2+rke2r1", true],
    ["v1.33.2+1", "v1.33.2+2", true],
    ["v1.33.2+2", "v1.33.2+1", false],
    ["v1.33.2+2", "v1.33.2+b", true],
    ["v1.33.2+b", "v1.33.2+2", false],
    ["v1.33.2", "v1.33.2+1", true],
    ["v1.33.2+1", "v1.33.2", false],
    ["v1.33.2-eks-4a3b2c1", "v1.33", false],
    ["v1.32", "v1.33.0", true],
  ])("%s has yet to come to %s: %s", (reported, wanted, expected) => {
    const [from, to] = [reported, wanted].map(parseVersion);
    if (from === undefined || to === undefined) throw new Error("not a version");
    expect(isBehind(from, to)).toBe(expected);
  });
});
