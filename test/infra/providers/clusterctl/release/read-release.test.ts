import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ReleaseReadError,
  readRelease,
} from "../../../../../infra/providers/clusterctl/release/read-release.ts";
import { NO_VALUES, withEnvironment } from "../../../../../infra/providers/clusterctl/render/typed.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { GOOD_FILES, storeRelease } from "../../../../support/releases/good-release.ts";

const COMPONENTS = "infrastructure-components.yaml";

/** An array of 9 levels, each nine times the one before: 400 million texts. */
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const items = level === 0 ? "x" : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array.from({ length: 9 }, () => items).join(", ")}]`;
}).join("\n");

async function refusal(files: { readonly [name: string]: string | Buffer }): Promise<ReleaseReadError> {
  await using stored = await storeRelease(GOOD_FILES);
  for (const [name, content] of Object.entries(files)) await writeFile(join(stored.folder, name), content);
  const error: unknown = await readRelease(stored.folder, NO_VALUES).catch((caught: unknown) => caught);
  if (error instanceof ReleaseReadError) return error;
  throw new Error("the release was read", { cause: error });
}

describe("reading a release", () => {
  it("finds its parts by the names of the folder and its files", async () => {
    await using stored = await storeRelease({ ...GOOD_FILES, "README.yaml": "a: 1", "other.txt": "x" });
    const release = await readRelease(stored.folder, NO_VALUES);
    expect(release).toMatchObject({
      label: "infrastructure-good",
      version: "v1.2.0",
      versions: ["v1.1.0", "v1.2.0"],
    });
    expect(release.metadata?.documents[0]?.value["kind"]).toBe("Metadata");
    expect(release.components?.documents.length).toBe(9);
    expect(release.templates.map(({ name }) => name)).toEqual([
      "cluster-template-topology.yaml",
      "cluster-template.yaml",
    ]);
    expect(release.classes.map(({ name }) => name)).toEqual(["clusterclass-small.yaml"]);
  });

  it("takes the name of a variable without value for one, in templates always that of a common one", async () => {
    await using stored = await storeRelease(GOOD_FILES);
    const values = withEnvironment(NO_VALUES, { CLUSTER_NAME: "given", GOOD_VERBOSITY: "5" });
    const { templates, components } = await readRelease(stored.folder, values);
    const [, template] = templates;
    expect(template?.documents.map(({ value }) => valueAt(value, "metadata.name"))).toEqual([
      "CLUSTER_NAME",
      "CLUSTER_NAME",
    ]);
    expect(valueAt(template?.documents[1]?.value, "spec.zone")).toBe("GOOD_ZONE");
    expect(template?.variables.map(({ name, isGiven }) => [name, isGiven])).toEqual([
      ["CLUSTER_NAME", true],
      ["GOOD_ZONE", false],
      ["NAMESPACE", false],
    ]);
    const manager = "spec.template.spec.containers[manager].args";
    expect(valueAt(components?.documents.at(-1)?.value, manager)).toContain("--v=5");
  });

  it("has a file that does not parse with the problem and its line", async () => {
    const files = {
      ...GOOD_FILES,
      [COMPONENTS]: "a: 1\nb: ${A-x}",
      "cluster-template.yaml": "a: 1\nb: c: d",
    };
    await using stored = await storeRelease(files);
    const { components, templates } = await readRelease(stored.folder, NO_VALUES);
    expect(components?.problem).toEqual({ at: "substitution", message: "missing closing brace", line: 2 });
    expect(templates[1]?.problem).toMatchObject({ at: "yaml", line: 2 });
  });

  it("names a value that breaks the YAML by its variable, without the value", async () => {
    await using stored = await storeRelease(GOOD_FILES);
    const secret = 'x" y: "z';
    const { templates } = await readRelease(stored.folder, withEnvironment(NO_VALUES, { GOOD_ZONE: secret }));
    expect(templates[1]?.problem?.message).toBe(
      "the value of GOOD_ZONE breaks the YAML; put it in quotes, or ${GOOD_ZONE} in the file",
    );
  });

  it.each([
    ["an alias bomb", { [COMPONENTS]: BOMB }, "aliases are written out"],
    ["a binary", { [COMPONENTS]: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00]) }, "not a text in UTF-8"],
    ["bytes that are not UTF-8", { "metadata.yaml": Buffer.from([0xff, 0xfe]) }, "not a text in UTF-8"],
    [
      "more than 64 MiB",
      { [COMPONENTS]: Buffer.alloc(64 * 1024 * 1024 + 1, "#") },
      "larger than the 67108864 bytes",
    ],
    [
      "40 MiB twice",
      { [COMPONENTS]: Buffer.alloc(40 << 20, "#"), "cluster-template.yaml": Buffer.alloc(40 << 20, "#") },
      "larger than the 67108864 bytes",
    ],
    [
      "300 files",
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`cluster-template-${at}.yaml`, ""])),
      "more than 200 YAML files",
    ],
  ])("refuses %s", async (_title, files, words) => {
    expect((await refusal(files)).message).toContain(words);
  });

  it("refuses a folder that is missing", async () => {
    await expect(readRelease("/nowhere/infrastructure-a/v1.0.0", NO_VALUES)).rejects.toThrow(
      /cannot read the folder/,
    );
  });

  it("does not read a folder that is named like a file", async () => {
    await using stored = await storeRelease(GOOD_FILES);
    await mkdir(join(stored.folder, "cluster-template-folder.yaml"));
    expect((await readRelease(stored.folder, NO_VALUES)).templates.length).toBe(2);
  });
});
