import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import { NO_VALUES, withEnvironment } from "../../../../infra/providers/clusterctl/render/typed.ts";
import { type CheckOptions, checkPaths } from "../../../../infra/providers/contract/check.ts";
import type { Finding, Outcome } from "../../../../infra/providers/contract/finding.ts";
import { exitStatus } from "../../../../infra/providers/contract/report.ts";
import { edited } from "../../../support/releases/change.ts";
import { GOOD_FILES, type ReleaseFiles, storeRelease } from "../../../support/releases/good-release.ts";
import { describeWith } from "../../../support/requires.ts";
import { inShared, sharedMissing } from "../../../support/shared.ts";

const RELEASES = inShared("data/provider-releases");
const COMPONENTS = "infrastructure-components.yaml";

function check(path: string, options: Partial<CheckOptions> = {}): Promise<Outcome> {
  return checkPaths([path], {
    named: new Map(),
    assumed: "v1beta2",
    waivers: new Map(),
    now: new Date(),
    whyRefused,
    ...options,
  });
}

async function checkFiles(files: ReleaseFiles, options: Partial<CheckOptions> = {}): Promise<Outcome> {
  await using stored = await storeRelease({ ...GOOD_FILES, ...files });
  return await check(stored.folder, options);
}

/** Ids of the rules with this verdict, each once. */
function rulesWith(verdict: Finding["verdict"], { findings }: Outcome): readonly string[] {
  const found = findings.filter((one) => one.verdict === verdict && one.waived === undefined);
  return [...new Set(found.map(({ rule }) => rule))].toSorted((a, b) => (a < b ? -1 : 1));
}

describeWith(sharedMissing("data/provider-releases"))("releases of other providers", () => {
  it("vSphere: variables in a ClusterClass, roles without prefix, credentials without value; no MUST is broken", async () => {
    const outcome = await check(`${RELEASES}/infrastructure-vsphere/v1.17.0`);
    expect(exitStatus(outcome, "fail")).toBe(0);
    const found = outcome.findings.filter(
      ({ rule, verdict }) => verdict === "warn" && ["CTL-24", "CTL-31", "CTL-36"].includes(rule),
    );
    expect(found.map(({ rule, found = "" }) => `${rule} ${found.split(",")[0]}`)).toEqual(
      expect.arrayContaining([
        "CTL-24 VSPHERE_USERNAME without default and value; its name was taken for a value",
        "CTL-31 capv-manager-role",
        "CTL-36 variables CLUSTER_CLASS_NAME",
      ]),
    );
    expect(
      outcome.findings.find(({ rule, found }) => rule === "CTL-31" && found === "capv-manager-role"),
    ).toMatchObject({
      file: `${RELEASES}/infrastructure-vsphere/v1.17.0/${COMPONENTS}`,
      line: 8612,
      object: "ClusterRole capv-manager-role",
      path: "metadata.name",
    });
  });

  it("in-cluster IPAM keeps every MUST", async () => {
    const outcome = await check(`${RELEASES}/ipam-in-cluster`);
    expect(exitStatus(outcome, "fail")).toBe(0);
    expect(outcome.crds.length).toBe(4);
  });
});

describe("a release", () => {
  it("is judged with its CRDs, which need what is around them", async () => {
    const outcome = await checkFiles({});
    expect(rulesWith("warn", outcome).filter((rule) => rule.startsWith("CTL"))).toEqual([]);
    expect(outcome.crds).toMatchObject([{ kind: "GoodCluster", contract: "v1beta2" }]);
    // The series decides IC-11, the CRDs of the release IC-18.
    expect(outcome.findings.find(({ rule }) => rule === "IC-11")?.verdict).toBe("pass");
    expect(outcome.findings.find(({ rule }) => rule === "IC-18")?.verdict).toBe("warn");
  });

  it("is found below a folder, each once, and its files are not judged a second time", async () => {
    await using stored = await storeRelease(GOOD_FILES);
    const outcome = await check(dirname(dirname(stored.folder)));
    expect(outcome.findings.filter(({ rule }) => rule === "CTL-01").length).toBe(1);
    expect(outcome.crds.length).toBe(1);
  });

  it("is one also without metadata.yaml, whatever its variables make of the YAML, and in a flat folder whose name is given", async () => {
    const { "metadata.yaml": metadata = "", ...files } = GOOD_FILES;
    await using halved = await storeRelease(files);
    await writeFile(
      join(halved.folder, COMPONENTS),
      `${files[COMPONENTS] ?? ""}\n---\n$\{NOT_YAML:="a: b"}\n`,
    );
    const outcome = await check(halved.folder);
    expect(outcome.problems).toEqual([]);
    expect(rulesWith("fail", outcome)).toContain("CTL-03");

    const flat = { label: "assets", version: "download" };
    await using downloaded = await storeRelease({ ...files, "metadata.yaml": metadata }, flat);
    const assumed = await check(downloaded.folder);
    expect(rulesWith("fail", assumed).filter((rule) => rule.startsWith("CTL"))).toEqual([]);
    expect(assumed.findings.find(({ rule }) => rule === "CTL-01")?.found).toContain(
      "infrastructure-good/v1.2.0",
    );
    await using bare = await storeRelease(files, flat);
    expect(rulesWith("fail", await check(bare.folder))).toEqual(expect.arrayContaining(["CTL-01", "CTL-02"]));
    const releaseName = { label: "infrastructure-good", version: "v1.2.0" };
    expect(
      rulesWith("fail", await check(bare.folder, { releaseName })).filter((rule) => /^CTL/.test(rule)),
    ).toEqual(["CTL-03"]);
  });

  it("waives rules on one object by its annotation, and all by the command line", async () => {
    const role = "kind: ClusterRole\nmetadata:\n  name: good-system-manager\n";
    const waived =
      'kind: ClusterRole\nmetadata:\n  name: manager\n  annotations: {contract.capstan.dev/waive: "CTL-31=as released"}\n';
    const files = edited(COMPONENTS, role, waived);
    const outcome = await checkFiles(files, { waivers: new Map([["CTL-38", "bound elsewhere"]]) });
    expect(rulesWith("warn", outcome).filter((rule) => rule.startsWith("CTL"))).toEqual([]);
    expect(
      outcome.findings
        .filter(({ waived: reason }) => reason !== undefined)
        .map(({ rule, waived: reason }) => [rule, reason]),
    ).toEqual([
      ["CTL-31", "as released"],
      ["CTL-38", "bound elsewhere"],
    ]);
  });

  it("has a problem where a waiver has no reason or names no rule", async () => {
    for (const waiver of ["CTL-31", "NONE=why"]) {
      // A rule has to find something, or it does not name the object.
      const before = "  name: good-text\n  namespace: good-system\n";
      const after = `  name: good-text\n  namespace: other\n  annotations: {contract.capstan.dev/waive: "${waiver}"}\n`;
      const outcome = await checkFiles(edited(COMPONENTS, before, after));
      expect(outcome.problems.map(({ message }) => message)).toEqual([
        expect.stringMatching(/reason missing|no such rule/),
      ]);
      expect(exitStatus(outcome, "fail")).toBe(2);
    }
  });

  it("takes values of variables and names those that it does not have", async () => {
    const files = edited(COMPONENTS, "${GOOD_VERBOSITY:=2}", "${GOOD_VERBOSITY}");
    const without = await checkFiles(files);
    expect(
      without.findings
        .filter(({ rule, verdict }) => rule === "CTL-24" && verdict === "warn")
        .map(({ found }) => found),
    ).toEqual(["GOOD_VERBOSITY without default and value; its name was taken for a value"]);
    const given = await checkFiles(files, { values: withEnvironment(NO_VALUES, { GOOD_VERBOSITY: "4" }) });
    expect(rulesWith("warn", given)).not.toContain("CTL-24");
  });

  it("that cannot be read leaves the others to be judged", async () => {
    await using stored = await storeRelease(GOOD_FILES);
    await using other = await storeRelease(GOOD_FILES);
    await writeFile(join(stored.folder, COMPONENTS), Buffer.from([0, 1, 2]));
    const outcome = await checkPaths([stored.folder, other.folder], {
      named: new Map(),
      assumed: "v1beta2",
      waivers: new Map(),
      now: new Date(),
      whyRefused,
    });
    expect(outcome.problems).toEqual([
      {
        file: join(stored.folder, COMPONENTS),
        line: undefined,
        message: "not a text in UTF-8; name a YAML file",
      },
    ]);
    expect(outcome.crds.length).toBe(1);
    expect(exitStatus(outcome, "fail")).toBe(2);
  });

  it("whose values are not texts is a problem that names the variable", async () => {
    const lookup = (): never => {
      throw new Error("bug");
    };
    await expect(checkFiles({}, { values: { ...NO_VALUES, lookup } })).rejects.toThrow("bug");
    const values = withEnvironment(NO_VALUES, { GOOD_VERBOSITY: "x".repeat(200_000) });
    expect((await checkFiles({}, { values })).problems).toMatchObject([
      { message: "environment variable GOOD_VERBOSITY has more than 131072 characters; shorten it" },
    ]);
  });
});
