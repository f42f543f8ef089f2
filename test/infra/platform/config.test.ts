import { describe, expect, it } from "vitest";
import { readEnvironment } from "../../../infra/platform/config.ts";
import { packageVersion } from "../../../infra/platform/package-version.ts";

describe("the environment", () => {
  it("has defaults and leaves out what Capstan does not know", () => {
    expect(readEnvironment({ PATH: "/bin" })).toEqual({ HOME: "/", CAPSTAN_LOG_LEVEL: "warn" });
  });

  it("is refused with the variable's name when a value is wrong", () => {
    expect(() => readEnvironment({ CAPSTAN_LOG_LEVEL: "loud" })).toThrow(
      "environment variable CAPSTAN_LOG_LEVEL: ",
    );
    expect(() => readEnvironment({ KUBECONFIG: "" })).toThrow(
      "environment variable KUBECONFIG: it is empty; give it a value, or unset it",
    );
  });
});

describe("the version", () => {
  it("is that of package.json", () => {
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
