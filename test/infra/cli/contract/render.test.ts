import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readObjects } from "../../../../infra/providers/clusterctl/render/namespaces.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { commandLine } from "../../../support/processes/run-command.ts";
import { testFolder } from "../../../support/test-folder.ts";

const MAIN = fileURLToPath(new URL("../../../../infra/cli/main.ts", import.meta.url));

const COMPONENTS = `apiVersion: v1
kind: Namespace
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  password: \${PASSWORD}
  level: "\${LEVEL:=1}"
`;

/** `capstan contract render` of a text with values in a file. */
async function render(text: string, { flags = "", values = "", env = {}, name = "components.yaml" } = {}) {
  const dir = testFolder("render");
  await writeFile(join(dir, name), text);
  await writeFile(join(dir, "values.yaml"), values);
  const capstan = commandLine(process.execPath, [MAIN], { PATH: process.env["PATH"], ...env });
  const files = `${join(dir, name)} --variables ${join(dir, "values.yaml")}`;
  const ran = await capstan.try(`contract render ${files} --provider infrastructure-good ${flags}`);
  return { ...ran, output: ran.output.replaceAll(dir, "") };
}

describe("capstan contract render", () => {
  it("prints YAML that kubectl applies, with values of the file and, before them, of the environment", async () => {
    const { ok, stdout } = await render(COMPONENTS, {
      values: "PASSWORD: one\nLEVEL: 2\n",
      env: { LEVEL: "3" },
    });
    expect(ok).toBe(true);
    const [namespace, map] = readObjects(stdout);
    expect(valueAt(namespace?.value, "metadata.labels[cluster.x-k8s.io/provider]")).toBe(
      "infrastructure-good",
    );
    expect(map?.value["data"]).toEqual({ password: "one", level: "3" });
    expect(valueAt(map?.value, "metadata.namespace")).toBe("good");
  });

  it("prints JSON for another namespace", async () => {
    const { stdout } = await render(COMPONENTS, {
      values: "PASSWORD: one",
      flags: "-o json --target-namespace other",
    });
    const { kind, items } = JSON.parse(stdout);
    expect([kind, items[0].metadata.name, items[1].metadata.namespace]).toEqual(["List", "other", "other"]);
  });

  it("prints a template of a cluster as it is, in a namespace that has to be named", async () => {
    const template = { name: "cluster-template-a.yaml", values: "PASSWORD: one" };
    const { stdout } = await render(COMPONENTS, { ...template, flags: "-o json --target-namespace other" });
    const [namespace, map] = JSON.parse(stdout).items;
    expect([namespace.metadata, map.metadata]).toEqual([
      { name: "other" },
      { name: "a", namespace: "other" },
    ]);
    expect((await render(COMPONENTS, template)).output).toContain("name one with --target-namespace");
  });

  it("prints a text with control characters so that it stays the same", async () => {
    const text = `${COMPONENTS}  script: "a\\tb\\u001b[31m\\u200b"\n`;
    const { stdout } = await render(text, { values: "PASSWORD: one" });
    expect(stdout).not.toContain("\u001b");
    expect(valueAt(readObjects(stdout)[1]?.value, "data.script")).toBe("a\tb\u001b[31m\u200b");
  });

  it.each([
    ["variables without value", COMPONENTS, "", "variables without value: PASSWORD;"],
    ["a bad substitution", "a: 1\nb: ${A-x}", "", "/components.yaml:2: missing closing brace"],
    [
      "a value that breaks the YAML",
      COMPONENTS,
      "PASSWORD: 'secret: x: y'",
      "/components.yaml:9: the value of PASSWORD breaks the YAML",
    ],
    ["values that are not a map", COMPONENTS, "- secret", "/values.yaml: not a map from names to values"],
    ["a NUL byte", "a: \0", "", "/components.yaml: not a text in UTF-8"],
  ])("ends with a message for %s, which quotes no value", async (_title, text, values, words) => {
    const { ok, output } = await render(text, { values });
    expect(ok).toBe(false);
    expect(output).toContain(words);
    expect(output).not.toMatch(/secret| {4}at /);
  });

  it("ends with 2 for a file that is missing", async () => {
    const capstan = commandLine("/bin/sh", ["-c"], { PATH: process.env["PATH"] });
    const { output } = await capstan.try(
      `'${process.execPath} ${MAIN} contract render /nowhere.yaml --provider x; echo $?'`,
    );
    expect(output).toBe(
      "capstan: /nowhere.yaml: cannot read it: ENOENT: no such file or directory, stat '/nowhere.yaml'\n2\n",
    );
  });
});
