import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { writeYaml } from "../../../../infra/platform/yaml/write-yaml.ts";
import { goodCrd, goodTemplate, without } from "../../../support/contract/crds.ts";
import { runCli } from "../../../support/processes/cli.ts";
import { commandLine } from "../../../support/processes/run-command.ts";
import { testFolder } from "../../../support/test-folder.ts";

const MAIN = fileURLToPath(new URL("../../../../infra/cli/main.ts", import.meta.url));

const dir = testFolder("check");
beforeAll(async () => {
  const crd = goodCrd("InfraMachinePool");
  without(crd, "v1beta2", "status.ready");
  await writeFile(join(dir, "broken.yaml"), writeYaml(crd));
  await writeFile(join(dir, "good.yaml"), writeYaml(goodTemplate("InfraMachinePool")));
  const hostile = goodCrd("ControlPlane");
  for (const { subresources } of hostile.spec.versions)
    Object.assign(subresources.scale ?? {}, { labelSelectorPath: ".status.\u001b[2J\u202ev9" });
  await writeFile(join(dir, "hostile.yaml"), writeYaml(hostile));
});

function check(...args: readonly string[]) {
  return runCli("contract", "check", ...args);
}

describe("capstan contract check", () => {
  it("prints a line for each broken rule, a table and the result, and ends with 1", async () => {
    const { code, output } = await check(join(dir, "broken.yaml"), join(dir, "good.yaml"));
    expect(code).toBe(1);
    const [first = "", ...more] = output.split("\n");
    expect(first).toMatch(
      /broken\.yaml:\d+: fail IMP-16 foomachinepools\.infrastructure\.cluster\.x-k8s\.io v1beta2 status\.ready: absent, expected boolean; the only readiness/,
    );
    expect(more.filter((line) => / (?:fail|warn) /.test(line))).toEqual([]);
    expect(output).toMatch(/^CONTRACT +OBJECTS +FAIL +WARN +WAIVED +PASS +UNKNOWN +NA$/m);
    expect(output).toMatch(/^1 broken; 2 CRDs judged by \d+ rules$/m);
  });

  it("prints every judgement with --verbose", async () => {
    const { code, output } = await check(join(dir, "good.yaml"), "--verbose");
    expect(code).toBe(0);
    expect(output).toMatch(/good\.yaml:1: pass IMP-01 foomachinepooltemplates\S+ spec\.scope: Namespaced/);
    expect(output).toMatch(/: unknown IMP-11 /);
    expect(output).toMatch(/^kept; 1 CRD judged/m);
  });

  it("does not count waived findings, and shows why they are waived", async () => {
    const { code, output } = await check(join(dir, "broken.yaml"), "--waive", "IMP-16=never ready");
    expect(code).toBe(0);
    expect(output).toMatch(/fail \(waived\) IMP-16 .*; waived: never ready$/m);
  });

  it("reads standard input, and reports JSON that is the same each time", async () => {
    const capstan = commandLine(
      process.execPath,
      [MAIN, "contract", "check", "-", "-o", "json"],
      process.env,
    );
    const text = writeYaml(goodCrd("BootstrapConfig"));
    const [one, two] = [await capstan("", text), await capstan("", text)];
    expect(two).toBe(one);
    const report = JSON.parse(one);
    expect(Object.keys(report)).toEqual(["schema", "core", "crds", "findings", "summary"]);
    expect(report.schema).toBe("capstan.dev/contract-report/v1");
    expect(report.crds).toEqual([
      {
        name: "fooconfigs.bootstrap.cluster.x-k8s.io",
        kind: "FooConfig",
        contractKind: "BootstrapConfig",
        contract: "v1beta2",
        version: "v1beta2",
      },
    ]);
    expect(report.findings[0]).toMatchObject({ rule: "BC-01", verdict: "pass", file: "<stdin>", line: 1 });
  });

  it("escapes control characters of names", async () => {
    for (const format of ["text", "json", "sarif"]) {
      const { code, output } = await check(join(dir, "hostile.yaml"), "-o", format);
      expect(code).toBe(1);
      expect(output).not.toContain("\u001b");
      expect(output).toContain("\\u001b[2J\\u202ev9");
    }
  });

  it.each([
    ["no path", []],
    ["an unknown contract", ["x", "--as", "a.b/Foo=FooContract"]],
    ["a waiver without reason", ["x", "--waive", "IMP-16"]],
    ["a waiver of an unknown rule", ["x", "--waive", "XYZ-01=because"]],
    ["an unknown format", ["x", "-o", "xml"]],
    ["a path that is missing", ["/nowhere/crd.yaml"]],
  ])("ends with 2 for %s, with a message and no stack", async (_name, args) => {
    const { code, output } = await check(...args);
    expect(code).toBe(2);
    expect(output).toMatch(/^capstan: /m);
    expect(output).not.toMatch(/^\s+at /m);
  });

  it("judges what it can read, and ends with 2 for the rest", async () => {
    const { code, output } = await check(dir, "/nowhere");
    expect(code).toBe(2);
    expect(output).toContain("fail IMP-16");
    expect(output).toContain("capstan: /nowhere: does not exist; check the path");
    expect(output).toContain("1 input could not be read; 3 CRDs judged by");
  });
});

describe("capstan contract list", () => {
  it("prints each rule once, as a table and as JSON with links", async () => {
    const { output } = await runCli("contract", "list");
    expect(output).toMatch(/^RULE +LEVEL +CONTRACT +ARTEFACT +REQUIREMENT$/m);
    expect(output).toMatch(/^IMP-16 +MUST +both +A1 +`status\.ready` is a boolean$/m);
    const rules = JSON.parse((await runCli("contract", "list", "-o", "json")).output);
    const ids = rules.map(({ id }: { readonly id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { source } of rules) expect(URL.canParse(source), source).toBe(true);
  });

  it("explains one rule, and says where there is no such rule", async () => {
    const known = await runCli("contract", "explain", "imp-16");
    expect([known.code, known.output]).toEqual([0, expect.stringContaining("`status.ready` is a boolean.")]);
    expect(known.output).toMatch(/^Where it is broken: .+\.$/m);
    const unknown = await runCli("contract", "explain", "none-1");
    expect([unknown.code, unknown.output]).toEqual([2, expect.stringContaining("contract list shows all")]);
  });

  it("ends without a word when the reader of its output leaves before its end", async () => {
    const shell = commandLine("/bin/bash", ["-c"], process.env);
    const { output } = await shell.try(`'${process.execPath} ${MAIN} contract list -o json | head -c 1'`);
    expect(output).toBe("[");
  });
});
