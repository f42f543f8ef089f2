import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCluster, readManifest } from "../../../../../infra/providers/contract/probe/manifest.ts";
import { simCluster } from "../../../../support/manifests.ts";
import { testFolder } from "../../../../support/test-folder.ts";

let file = "";
beforeAll(async () => {
  file = join(testFolder("manifest"), "cluster.yaml");
});
afterAll(() => rm(join(file, ".."), { recursive: true }));

async function read(text: string) {
  await writeFile(file, text);
  return readManifest(file);
}

describe("the manifest of a probe", () => {
  it("is read object by object, with its line, and without the namespace, which the probe makes", async () => {
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: { name: x }\n---";
    const objects = await read(`${namespace}${simCluster("c1")}`);
    expect(objects.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "Cluster c1",
      "SimCluster c1",
      "SimControlPlane c1",
    ]);
    expect(objects.filter(isCluster)).toHaveLength(1);
    expect(objects[0]?.place).toBe(`${file}:5`);
  });

  it.each([
    [
      "no Cluster",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }",
      "has no Cluster; name what clusterctl",
    ],
    [
      "no name",
      "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {}",
      ":1: metadata.name is missing",
    ],
    ["text that is not YAML", "kind: [", ":1: is not YAML"],
    ["two Clusters", `${simCluster("c1")}---${simCluster("c2")}`, "has 2 Clusters (c1, c2); leave one"],
    ["nothing", "", ":1: is empty"],
    [
      "too many objects",
      `${simCluster("c1")}${"---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n".repeat(998)}`,
      "has more than 1000 objects",
    ],
  ])("is refused with %s", async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
