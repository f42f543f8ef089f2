import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generateManifests } from "../../../../infra/deploy/manifests/generate.ts";

const PLACE = fileURLToPath(new URL("../../../../infra/deploy/kustomize/", import.meta.url));

describe("the manifests", () => {
  it("are up to date", async () => {
    expect(await generateManifests({ check: true })).toEqual([]);
  });

  it("run no simulated provider, and CustomResourceDefinitions are apart", async () => {
    const files = (await readdir(PLACE, { recursive: true })).filter((path) => path.endsWith(".yaml"));
    const texts = await Promise.all(files.map((path) => readFile(join(PLACE, path), "utf8")));
    expect(texts.filter((text) => /\bsim\b|kind: CustomResourceDefinition/.test(text))).toEqual([]);
  });
});
