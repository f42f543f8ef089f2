import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import { checkPaths } from "../../../../infra/providers/contract/check.ts";
import type { Outcome } from "../../../../infra/providers/contract/finding.ts";
import { goodCrd, type RawCrd, schemaAt } from "../../../support/contract/crds.ts";
import { GOOD_FILES, storeRelease } from "../../../support/releases/good-release.ts";
import { testFolder } from "../../../support/test-folder.ts";

const dir = testFolder("hostile");

function check(path: string): Promise<Outcome> {
  return checkPaths([path], {
    named: new Map(),
    assumed: "v1beta2",
    waivers: new Map(),
    now: new Date(),
    whyRefused,
  });
}

async function checkText(name: string, text: string): Promise<Outcome> {
  const file = join(dir, name);
  await writeFile(file, text);
  const outcome = await check(file);
  await rm(file);
  return outcome;
}

function messages({ problems }: Outcome): readonly string[] {
  return problems.map(({ message }) => message);
}

/** The good CRD of a machine, changed. */
function changed(change: (crd: RawCrd) => void): string {
  const crd = goodCrd("InfraMachine");
  change(crd);
  return JSON.stringify(crd);
}

describe("files without measure", () => {
  it.each([
    ["documents", "a: 1\n---\n".repeat(60_000)],
    ["empty documents", "---\n".repeat(60_000)],
    ["documents that are not YAML", "a: [\n---\n".repeat(60_000)],
    [
      "objects in one list",
      JSON.stringify({ apiVersion: "v1", kind: "List", items: Array.from({ length: 60_000 }, () => ({})) }),
    ],
  ])("have too many %s: the reading ends with a message", async (_what, text) => {
    expect(messages(await checkText("many.yaml", text)).at(-1)).toMatch(
      /more than 50000 documents and objects; name fewer files|no object of Kubernetes/,
    );
  });

  it("have too many variables: the release is not judged", async () => {
    const variables = Array.from({ length: 1_001 }, (_, index) => `# \${V${index}}\n`).join("");
    await using stored = await storeRelease({
      ...GOOD_FILES,
      "infrastructure-components.yaml": variables,
    });
    const outcome = await check(stored.folder);
    expect(messages(outcome)).toEqual(["more than 1000 variables; make it smaller"]);
    expect(outcome.findings).toEqual([]);
  });

  it("have too many objects that break one rule: the report counts the last of them", async () => {
    const stray = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: other}\n";
    await using stored = await storeRelease({
      ...GOOD_FILES,
      "infrastructure-components.yaml": `${GOOD_FILES["infrastructure-components.yaml"]}${stray.repeat(2_100)}`,
    });
    const { findings } = await check(stored.folder);
    const strays = findings.filter(({ rule }) => rule === "CTL-16");
    expect(strays.length).toBe(2_001);
    expect(strays.at(-1)).toMatchObject({ verdict: "fail", found: "100 more" });
  });

  it("have too many CustomResourceDefinitions: the first are judged", async () => {
    const texts = Array.from({ length: 1_001 }, (_, index) =>
      changed((crd) => {
        crd.spec.names = {
          kind: `Foo${index}Machine`,
          plural: `foo${index}machines`,
          singular: `foo${index}machine`,
        };
        crd.metadata.name = `foo${index}machines.${crd.spec.group}`;
      }),
    );
    const outcome = await checkText("crds.yaml", texts.join("\n---\n"));
    expect(outcome.crds.length).toBe(1_000);
    expect(messages(outcome)).toEqual([
      "ends the judging: more than 1000 CustomResourceDefinitions; name fewer files",
    ]);
  });

  it("have addresses, claims and pools by the thousand, in about the time of their number", async () => {
    const group = "ipam.cluster.x-k8s.io";
    const objects = Array.from({ length: 5_000 }, (_, index) => [
      { apiVersion: `${group}/v1`, kind: "FooPool", metadata: { name: `p${index}`, namespace: "a" } },
      {
        apiVersion: `${group}/v1beta2`,
        kind: "IPAddressClaim",
        metadata: { name: `c${index}`, namespace: "a" },
        spec: { poolRef: { apiGroup: group, kind: "FooPool", name: `p${index}` } },
        status: { addressRef: { name: `c${index}` } },
      },
      { apiVersion: `${group}/v1beta2`, kind: "IPAddress", metadata: { name: `c${index}`, namespace: "a" } },
    ]).flat();
    const { findings } = await checkText(
      "ipam.yaml",
      objects.map((each) => JSON.stringify(each)).join("\n---\n"),
    );
    // Neither owner is there, and no finalizer.
    expect(findings.filter(({ rule, verdict }) => rule === "IP-15" && verdict === "fail").length).toBe(
      10_000,
    );
  });
});

describe("a CRD that no API server stores", () => {
  it.each<[string, (crd: RawCrd) => void, string]>([
    [
      "a label that is too long",
      (crd) => {
        crd.metadata.labels["cluster.x-k8s.io/v1beta2"] = "v1_".repeat(1_000_000);
      },
      "metadata.labels: Invalid value",
    ],
    [
      "a label with control characters",
      (crd) => {
        crd.metadata.labels["cluster.x-k8s.io/v1beta2"] = "v1beta2_\u001b[2J\u202ev9";
      },
      "metadata.labels: Invalid value",
    ],
    [
      "an annotation of a megabyte",
      (crd) => {
        crd.metadata.annotations["a.example/b"] = "x".repeat(1_000_000);
      },
      "metadata.annotations: Too long",
    ],
    [
      "a name of a megabyte",
      (crd) => {
        crd.metadata.name = "x".repeat(1_000_000);
      },
      "metadata.name: Invalid value",
    ],
    [
      "a version that is there twice",
      (crd) => {
        for (const version of crd.spec.versions) version.name = "v1beta2";
      },
      "spec.versions: Invalid value: must contain unique version names",
    ],
    [
      "a version of capitals",
      (crd) => {
        const [version] = crd.spec.versions;
        if (version) version.name = "V1";
      },
      "spec.versions[0].name: Invalid value",
    ],
    [
      "a kind with a dot",
      (crd) => {
        crd.spec.names.kind = "Foo.Machine";
      },
      "spec.names.kind: Invalid value",
    ],
    [
      "a type that does not exist",
      (crd) => {
        schemaAt(crd, "v1beta2", "spec.providerID")["type"] = "text";
      },
      'Unsupported value: "text"',
    ],
    [
      "properties beside additionalProperties",
      (crd) => {
        schemaAt(crd, "v1beta2", "spec")["additionalProperties"] = { type: "string" };
      },
      "mutual exclusive",
    ],
    [
      "a group of Kubernetes without approval",
      (crd) => {
        crd.spec.group = "infrastructure.k8s.io";
        crd.metadata.name = `${crd.spec.names.plural}.infrastructure.k8s.io`;
      },
      "protected groups must have approval annotation",
    ],
    [
      "a scale subresource without paths",
      (crd) => {
        for (const { subresources } of crd.spec.versions) subresources.scale = {};
      },
      "scale.specReplicasPath: Required value",
    ],
    [
      "a short name of capitals",
      (crd) => {
        Object.assign(crd.spec.names, { shortNames: ["Foo"] });
      },
      "spec.names.shortNames[0]: Invalid value",
    ],
    [
      "a group of one word",
      (crd) => {
        crd.spec.group = "infrastructure";
        crd.metadata.name = `${crd.spec.names.plural}.infrastructure`;
      },
      "spec.group: Invalid value",
    ],
  ])("has %s: a problem of one line that quotes little", async (_what, change, cause) => {
    const outcome = await checkText("crd.json", changed(change));
    const [message = "", ...more] = messages(outcome);
    expect(more).toEqual([]);
    expect(message).toContain(cause);
    expect(message.length).toBeLessThan(2_000);
    expect(outcome.findings).toEqual([]);
  });
});

describe("folders that lead nowhere", () => {
  it("have links to themselves, to folders above and to devices, and pipes: the files in them are judged", async () => {
    const folder = join(dir, "links");
    await mkdir(join(folder, "a"), { recursive: true });
    await writeFile(
      join(folder, "a", "good.yaml"),
      changed(() => undefined),
    );
    await symlink("..", join(folder, "a", "up"));
    await symlink(".", join(folder, "a", "here.yaml"));
    await symlink("self.yaml", join(folder, "a", "self.yaml"));
    await symlink("/dev/zero", join(folder, "a", "zero.yaml"));
    execFileSync("mkfifo", [join(folder, "a", "pipe.yaml")]);
    const outcome = await check(folder);
    expect(outcome.crds.length).toBe(1);
    expect(messages(outcome)).toEqual(["is a link to itself; name a file"]);
    expect(messages(await check(join(folder, "a", "pipe.yaml")))).toEqual([
      "is neither a file nor a folder; name a YAML or JSON file",
    ]);
  });

  it("are too deep or too many: a problem", async () => {
    await mkdir(join(dir, "deep", ...Array<string>(30).fill("d")), { recursive: true });
    expect(messages(await check(join(dir, "deep")))).toEqual([
      "has folders more than 20 levels deep; name one below",
    ]);
  });
});
