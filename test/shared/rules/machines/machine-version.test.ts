import { describe, expect, it } from "vitest";
import { versionOfMachine } from "../../../../shared/rules/machines/machine-version.ts";
import { setMachine } from "../../../support/foo-sets.ts";

describe("the version of a Machine", () => {
  it.each([
    ["v1.34.2", "v1.33.0", "v1.34.2"],
    ["", "v1.33.0", "v1.33.0"],
    ["", "1.33.0", "v1.33.0"],
    [undefined, undefined, undefined],
  ])("with kubelet %s and spec %s is %s", (kubeletVersion, version, expected) => {
    const nodeInfo = kubeletVersion === undefined ? undefined : ({ kubeletVersion } as never);
    expect(versionOfMachine(setMachine("m1", { spec: { version }, status: { nodeInfo } }))).toBe(expected);
  });
});
