import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { apiReference, renderedFiles, renderInto } from "../../../infra/deploy/rendered.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { testFolder } from "../../support/test-folder.ts";

const files = await renderedFiles();

it("D-201: is the same each time, and all of it can be read", async () => {
  expect(await renderedFiles()).toEqual(files);
  for (const [path, text] of files) {
    if (path.endsWith(".yaml")) expect(loadAll(text), path).not.toEqual([]);
    if (path.endsWith(".json")) expect(JSON.parse(text), path).toBeTypeOf("object");
  }
});

it("D-201: takes the place of what a folder has held", async () => {
  const folder = testFolder("rendered");
  await writeFile(join(folder, "old.yaml"), "");
  await renderInto(folder);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(found.filter((entry) => entry.isFile())).toHaveLength(files.size);
  expect(await readFile(join(folder, "aws/rights.yaml"), "utf8")).toBe(files.get("aws/rights.yaml"));
});

it("D-202: runs no simulated provider with kubectl, and CustomResourceDefinitions are apart", () => {
  const manifests = [...files].filter(([path]) => /^kustomize\/.*\.yaml$/.test(path));
  expect(manifests.length).toBeGreaterThan(70);
  const wrong = manifests.filter(([, text]) => /\bsim\b|kind: CustomResourceDefinition/.test(text));
  expect(wrong.map(([path]) => path)).toEqual([]);
});

const lines = apiReference()
  .split("\n")
  .map((line) => line.replaceAll(/ +/g, " "));

it("has a section for each kind with a definition, and a row for each field, also within lists", () => {
  const kinds = KINDS.filter(({ crd }) => crd !== undefined).map(({ kind }) => `## ${kind}`);
  expect(lines.filter((line) => line.startsWith("## "))).toEqual(kinds);
  const rows = lines.map((line) => line.split(" | ").slice(0, 2).join(" | "));
  expect(rows).toEqual(
    expect.arrayContaining([
      "| `spec.clusterName` | string, required",
      "| `spec.replicas` | int32",
      "| `status.conditions[].lastTransitionTime` | date-time, required",
    ]),
  );
});

it("has one row a field, whose meaning is one line", () => {
  for (const line of lines.filter((each) => each.startsWith("| `")))
    expect(line.replaceAll("\\|", "").match(/\|/g), line).toHaveLength(4);
});
