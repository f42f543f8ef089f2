import { describe, expect, it } from "vitest";
import { isBroughtUp } from "../../../../functions/cluster/rules/status.ts";

const LATCHES = { infrastructureProvisioned: true, controlPlaneInitialized: true };

describe("isBroughtUp", () => {
  it.each([
    [{}, false],
    [{ initialization: { infrastructureProvisioned: true } }, false],
    [{ initialization: { controlPlaneInitialized: true } }, false],
    [{ initialization: LATCHES }, true],
  ])("of %o is %s", (status, expected) => {
    expect(isBroughtUp(status)).toBe(expected);
  });
});
