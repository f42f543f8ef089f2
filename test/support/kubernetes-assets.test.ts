import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { kubernetesAssets } from "./processes/kubernetes-assets.ts";
import { testFolder } from "./test-folder.ts";

describe("kubernetesAssets", () => {
  let cache: string;
  beforeAll(async () => {
    cache = testFolder("assets");
    for (const name of ["kubebuilder", "kubebuilder-v1.33.9", "kubebuilder-v1.33.13", "kubebuilder-1.34"]) {
      await mkdir(join(cache, name));
    }
  });

  it.each([
    ["1.33", "kubebuilder-v1.33.13"],
    ["1.34", "kubebuilder-1.34"],
  ])("names the newest folder of %s", (version, name) => {
    expect(kubernetesAssets(version, cache)).toEqual({ KUBEBUILDER_ASSETS: join(cache, name) });
  });

  it.each([undefined, ""])("decides nothing without a version: %j", (version) => {
    expect(kubernetesAssets(version, cache)).toEqual({});
  });

  it("names what is there when a version is missing", () => {
    expect(() => kubernetesAssets("1.3", cache)).toThrow(
      /no folder kubebuilder-v1\.3\.\*.*kubebuilder-v1\.33\.9/,
    );
    expect(() => kubernetesAssets("1.3", join(cache, "x"))).toThrow("there: none");
  });
});
