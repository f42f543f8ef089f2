import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { writeYaml } from "../../../../infra/platform/yaml/write-yaml.ts";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import { checkPaths } from "../../../../infra/providers/contract/check.ts";
import type { Outcome } from "../../../../infra/providers/contract/finding.ts";
import { exitStatus } from "../../../../infra/providers/contract/report.ts";
import { contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import { goodCrd, goodTemplate, without } from "../../../support/contract/crds.ts";
import { testFolder } from "../../../support/test-folder.ts";

const folder = testFolder("contract");

let count = 0;

/** Writes files into a new folder and returns it. */
async function folderWith(files: { readonly [name: string]: string | Uint8Array }): Promise<string> {
  count += 1;
  const own = join(folder, String(count));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(own, name)), { recursive: true });
    await writeFile(join(own, name), content);
  }
  return own;
}

function check(...paths: readonly string[]): Promise<Outcome> {
  return checkPaths(paths, {
    named: new Map(),
    assumed: "v1beta2",
    waivers: new Map(),
    now: new Date(),
    whyRefused,
  });
}

/** `fail IMP-04` with file and line, relative to a folder. */
function broken({ findings }: Outcome, own: string): readonly string[] {
  return findings
    .filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    .map(({ verdict, rule, file = "", line }) => `${relative(own, file)}:${line} ${verdict} ${rule}`);
}

function problems({ problems }: Outcome, own: string): readonly string[] {
  return problems.map(({ file, line, message }) => `${relative(own, file)}:${line} ${message}`);
}

const good = writeYaml(goodCrd("InfraMachinePool"));
const template = writeYaml(goodTemplate("InfraMachinePool"));
const unlabelled = writeYaml({
  ...goodCrd("InfraMachine"),
  metadata: { name: goodCrd("InfraMachine").metadata.name },
});

describe("what a finding says", () => {
  const said = async (change: (text: string) => string, rule: string) => {
    const own = await folderWith({ "crd.yaml": change(writeYaml(goodCrd("ControlPlane"))) });
    return (await check(own)).findings.filter((one) => one.rule === rule && one.verdict !== "pass");
  };

  it("follows from itself: no value is dropped where only a bound is absent", async () => {
    const found = await said((text) => text.replaceAll(/\n *minimum: 0/g, ""), "CP-22");
    expect(found.map(({ found: what }) => what)).toContain("minimum absent");
    for (const { effect } of found) expect(effect).not.toContain("drops");
  });

  it("CP-27: leaves a plain text of v1beta1 alone, which clusterctl can write", async () => {
    const found = await said((text) => text.replaceAll(/\n *format: date-time/g, ""), "CP-27");
    expect(found.map(({ contract }) => contract)).toEqual(["v1beta2"]);
  });

  it("IMP-03: is decided by a ClusterRole beside the CRD", async () => {
    const crd = writeYaml(goodCrd("InfraMachinePool")).replaceAll(
      "infrastructure.cluster.x-k8s.io",
      "foo.example.dev",
    );
    const role = (verbs: string) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: foo, labels: { cluster.x-k8s.io/aggregate-to-manager: "true" } }
rules: [{ apiGroups: [foo.example.dev], resources: ["*"], verbs: [${verbs}] }]
`;
    for (const [more, verdict] of [
      ["", "unknown"],
      [role('"*"'), "pass"],
      [role("get"), "fail"],
    ] as const) {
      const own = await folderWith({ "crd.yaml": `${crd}${more}` });
      expect((await check(own)).findings.filter(({ rule }) => rule === "IMP-03")).toMatchObject([
        { verdict },
      ]);
    }
  });
});

describe("inputs of a check", () => {
  it("are files, folders and every document in them, with their lines", async () => {
    const own = await folderWith({
      "a/crds.yaml": `# two\n${good}---\n${unlabelled}`,
      "b/c/template.yml": template,
      ".hidden/bad.yaml": ": :",
      "notes.txt": "# not read",
    });
    const outcome = await check(join(own, "a/crds.yaml"), join(own, "b"));
    expect(problems(outcome, own)).toEqual([]);
    expect(
      outcome.crds.map(({ kind, contractKind, contract, version }) => [
        kind,
        contractKind,
        contract,
        version,
      ]),
    ).toEqual([
      ["FooMachinePool", "InfraMachinePool", "v1beta2", "v1beta2"],
      ["FooMachine", "InfraMachine", null, null],
      ["FooMachinePoolTemplate", "InfraMachinePoolTemplate", "v1beta2", "v1beta2"],
    ]);
    const line = good.split("\n").length + 2;
    expect(broken(outcome, own)).toEqual([`a/crds.yaml:${line + 2} fail IM-04`]);
  });

  it("are lists, in YAML and JSON, with and without the kind of their items", async () => {
    const { apiVersion: _version, kind: _kind, ...bare } = goodTemplate("InfraMachinePool");
    const own = await folderWith({
      "list.yaml": writeYaml({ apiVersion: "v1", kind: "List", items: [goodCrd("InfraMachinePool")] }),
      "typed.json": JSON.stringify({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinitionList",
        items: [bare],
      }),
    });
    const outcome = await check(own);
    expect(outcome.crds.map(({ kind }) => kind)).toEqual(["FooMachinePool", "FooMachinePoolTemplate"]);
    expect(problems(outcome, own)).toEqual([]);
  });

  it("keep their labels in a kustomization or a patch", async () => {
    const kustomization =
      "labels:\n- pairs:\n    cluster.x-k8s.io/v1beta2: v1beta2_v1beta1\nresources:\n- bases/machine.yaml\n";
    const other = goodCrd("InfraCluster");
    const patch = {
      ...other,
      metadata: { name: other.metadata.name, labels: other.metadata.labels },
      spec: { conversion: {} },
    };
    const own = await folderWith({
      "kustomization.yaml": kustomization,
      "bases/machine.yaml": unlabelled,
      "bases/cluster.yaml": writeYaml({ ...other, metadata: { name: other.metadata.name } }),
      "patches/labels.yaml": writeYaml(patch),
    });
    const outcome = await check(own);
    expect(problems(outcome, own)).toEqual([]);
    expect(outcome.crds.map(({ kind, version }) => [kind, version])).toEqual([
      ["FooCluster", "v1beta2"],
      ["FooMachine", "v1beta2"],
    ]);
    expect(broken(outcome, own)).toEqual([]);
    expect(broken(await check(join(own, "bases")), own)).toEqual([
      "bases/cluster.yaml:3 fail IC-04",
      "bases/machine.yaml:3 fail IM-04",
    ]);
  });

  it("waive rules by annotation", async () => {
    const crd = goodCrd("InfraMachinePool");
    without(crd, "v1beta2", "status.ready");
    crd.metadata.annotations["contract.capstan.dev/waive"] = "IMP-16=our pools have no such state";
    const own = await folderWith({ "crd.yaml": writeYaml(crd) });
    const outcome = await check(own);
    expect(
      outcome.findings.filter(({ waived }) => waived !== undefined).map(({ rule, waived }) => [rule, waived]),
    ).toEqual([["IMP-16", "our pools have no such state"]]);
    expect(exitStatus(outcome, "warn")).toBe(0);
  });

  it("may name the contract of a kind", async () => {
    const own = await folderWith({ "crd.yaml": good });
    const chosen = new Map([["infrastructure.cluster.x-k8s.io/FooMachinePool", undefined]]);
    const outcome = await checkPaths([own], {
      named: chosen,
      assumed: "v1beta2",
      waivers: new Map(),
      now: new Date(),
      whyRefused,
    });
    expect(outcome.findings.map(({ rule }) => rule)).toEqual(["CRD-05", "CRD-07", "CRD-08", "CRD-09"]);
    expect(contractRoleOf("a", "B", chosen)).toBeUndefined();
  });

  it("without a contract label are judged under an assumed one, and say so", async () => {
    const own = await folderWith({ "crd.yaml": unlabelled });
    const outcome = await checkPaths([own], {
      named: new Map(),
      assumed: "v1beta1",
      waivers: new Map(),
      now: new Date(),
      whyRefused,
    });
    expect(outcome.findings.find(({ rule }) => rule === "IM-17")).toMatchObject({
      // The storage version is that of v1beta2, where readiness has another path.
      verdict: "fail",
      contract: "v1beta1",
      found: "absent (assumed contract v1beta1)",
    });
  });
});

describe("inputs that cannot be read", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
    .split("")
    .map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(9)}]`)
    .join("\n")}`;
  const old = good.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1");
  const noStorage = goodCrd("InfraMachine");
  for (const version of noStorage.spec.versions) version.storage = false;

  it.each([
    ["empty", "\n  \n", "bad.yaml:1 is empty"],
    ["binary", new Uint8Array([0x61, 0x0a, 0x00]), "bad.yaml:2 is not a text in UTF-8"],
    ["not UTF-8", new Uint8Array([0x61, 0xff]), "bad.yaml:1 is not a text in UTF-8"],
    ["not YAML", `a: 1\nb: [1\nc: 2\n`, "bad.yaml:3 is not YAML"],
    ["an alias bomb", bomb, "bad.yaml:1 has more than 1000000 values when its aliases are written out"],
    [
      "of a version that is gone",
      `\n${old}`,
      "bad.yaml:2 foomachinepools.infrastructure.cluster.x-k8s.io has apiextensions.k8s.io/v1beta1",
    ],
    ["no CRD", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n", "bad.yaml:1 has Secret only"],
    ["no object", "a: 1\n", "bad.yaml:1 has no object of Kubernetes"],
    [
      "refused by an API server",
      writeYaml(noStorage),
      "bad.yaml:1 the API server would refuse foomachines.infrastructure.cluster.x-k8s.io: spec.versions",
    ],
    [
      "a patch for nothing",
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n",
      "bad.yaml:1 a.b has no spec.versions",
    ],
    [
      "a bad waiver",
      good.replace("annotations: {}", "annotations: {contract.capstan.dev/waive: IMP-16}"),
      'bad.yaml:1 waiver "IMP-16": reason missing',
    ],
  ])("%s: a problem with file and line", async (_name, content, expected) => {
    const own = await folderWith({ "bad.yaml": content });
    for (const path of [own, join(own, "bad.yaml")]) {
      const outcome = await check(path);
      const [said = "", ...more] = problems(outcome, own).map((text) => text.replace(/^:/, "bad.yaml:"));
      expect(said.replace(/^[^:]*:/, "bad.yaml:")).toMatch(
        new RegExp(`^${expected.replaceAll(/[.[\]]/g, "\\$&")}`),
      );
      expect(more).toEqual([]);
      expect(exitStatus(outcome, "fail")).toBe(2);
    }
  });

  it("missing, too large, or given twice", async () => {
    const own = await folderWith({
      "a.yaml": good,
      "b.yaml": good,
      "large.yaml": new Uint8Array(64 * 1024 * 1024 + 1),
    });
    expect(problems(await check(join(own, "missing.yaml")), own)).toEqual([
      "missing.yaml:undefined does not exist; check the path",
    ]);
    expect(problems(await check(join(own, "large.yaml")), own)).toEqual([
      "large.yaml:undefined is larger than 64 MB; name a part of it",
    ]);
    await rm(join(own, "large.yaml"));
    const twice = await check(own);
    expect(problems(twice, own)).toEqual([
      `b.yaml:1 foomachinepools.infrastructure.cluster.x-k8s.io is given twice, first in ${join(own, "a.yaml")}:1; name it once`,
    ]);
    expect(twice.crds.length).toBe(1);
  });

  it("do not keep the others from being judged, and quote nothing", async () => {
    const secret = "apiVersion: v1\nkind: Secret\nstringData:\n  password: 'hunter2\n";
    const own = await folderWith({
      "bad.yaml": `${good}---\n${secret}---\n${unlabelled}`,
      "good.yaml": template,
    });
    const outcome = await check(own);
    expect(outcome.crds.map(({ kind }) => kind).toSorted()).toEqual([
      "FooMachine",
      "FooMachinePool",
      "FooMachinePoolTemplate",
    ]);
    expect(outcome.problems.length).toBe(1);
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
  });
});
