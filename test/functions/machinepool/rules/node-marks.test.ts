import { describe, expect, it } from "vitest";
import { belongsElsewhere, rivalsAmong } from "../../../../functions/machinepool/rules/node-marks.ts";
import { machinePool, node } from "../../../support/builders.ts";

const POOL = machinePool();
function rival(name: string, creationTimestamp: string, providerIDList = ["foo://1"]) {
  return machinePool({ metadata: { name, uid: `uid-${name}`, creationTimestamp }, spec: { providerIDList } });
}
const SAME_AGE = "2026-01-01T00:00:00Z";

describe("belongsElsewhere", () => {
  it.each([
    ["an older pool", rival("p9", "2025-01-01T00:00:00Z"), true],
    ["a younger pool", rival("p0", "2026-02-01T00:00:00Z"), false],
    ["a pool of the same age with a smaller name", rival("p0", SAME_AGE), true],
    ["a pool of the same age with a greater name", rival("p9", SAME_AGE), false],
    ["an older pool that lists an instance with a longer ID", rival("p0", SAME_AGE, ["foo://10"]), false],
    ["an older pool that lists an instance with a shorter ID", rival("p0", SAME_AGE, ["foo://"]), false],
    ["an older pool that lists other instances", rival("p0", SAME_AGE, ["foo://2"]), false],
  ])("for %s: %j", (_, other, expected) => {
    expect(belongsElsewhere(POOL, node("n1"), rivalsAmong([other]))).toBe(expected);
  });

  it("leaves the Node of a deleted pool to any pool that stays", () => {
    const leaving = machinePool({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } });
    expect(belongsElsewhere(leaving, node("n1"), rivalsAmong([rival("p9", SAME_AGE)]))).toBe(true);
  });
});
