import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { renderedFiles, renderInto } from "../../../infra/deploy/rendered.ts";

const files = await renderedFiles();

it("D-201: is the same each time, and all of it can be read", async () => {
  expect(await renderedFiles()).toEqual(files);
  for (const [path, text] of files) {
    if (path.endsWith(".yaml")) expect(loadAll(text), path).not.toEqual([]);
    if (path.endsWith(".json")) expect(JSON.parse(text), path).toBeTypeOf("object");
  }
});

it("D-201: takes the place of what a folder has held", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-rendered-"));
  try {
    await writeFile(join(folder, "old.yaml"), "");
    await renderInto(folder);
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(found.filter((entry) => entry.isFile())).toHaveLength(files.size);
    expect(await readFile(join(folder, "aws/rights.yaml"), "utf8")).toBe(files.get("aws/rights.yaml"));
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("D-202: runs no simulated provider with kubectl, and CustomResourceDefinitions are apart", () => {
  const manifests = [...files].filter(([path]) => /^kustomize\/.*\.yaml$/.test(path));
  expect(manifests.length).toBeGreaterThan(70);
  const wrong = manifests.filter(([, text]) => /\bsim\b|kind: CustomResourceDefinition/.test(text));
  expect(wrong.map(([path]) => path)).toEqual([]);
});
