import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../infra/playground/apiserver/entry.ts";
import { checkPaths } from "../../../infra/providers/contract/check.ts";
import { exitStatus, toReport } from "../../../infra/providers/contract/report.ts";
import { PROVIDERS, type Releases, renderReleases } from "../../support/capstan-release.ts";

let releases: Releases;
beforeAll(async () => {
  releases = await renderReleases(["v0.1.0"]);
});
afterAll(() => releases[Symbol.asyncDispose]());

const OPTIONS = {
  named: new Map(),
  waivers: new Map(),
  assumed: "v1beta2",
  now: new Date(),
  whyRefused,
} as const;

describe("a release of ours under our own rules", () => {
  it.each(PROVIDERS)(
    "$label keeps every MUST, and every broken SHOULD is waived with a reason",
    async ({ label }) => {
      const outcome = await checkPaths([`${releases.folder}/${label}/v0.1.0`], OPTIONS);

      const { crds, findings, summary } = toReport(outcome);
      expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
      const broken = findings.filter(({ verdict }) => verdict === "warn");
      expect(broken.filter(({ waived }) => waived === undefined || waived.length < 10)).toEqual([]);
      expect(exitStatus(outcome, "warn")).toBe(0);
      expect(crds.length).toBeGreaterThan(1);
      const rules = new Set(
        findings.filter(({ verdict }) => verdict === "pass").map(({ rule }) => rule.slice(0, 3)),
      );
      expect(rules).toContain("CTL");
      expect(summary.pass).toBeGreaterThan(40);
    },
  );

  it("breaks a rule once its cluster-scoped names no longer start with the namespace", async () => {
    const file = `${releases.folder}/bootstrap-sim/v0.1.0/bootstrap-components.yaml`;
    const good = await readFile(file, "utf8");
    await writeFile(file, good.replaceAll("name: capstan-bootstrap-sim-system-manager", "name: manager"));
    const outcome = await checkPaths([`${releases.folder}/bootstrap-sim/v0.1.0`], OPTIONS);
    await writeFile(file, good);

    expect(exitStatus(outcome, "warn")).toBe(1);
    expect(
      new Set(outcome.findings.filter(({ verdict }) => verdict === "warn").map(({ rule }) => rule)),
    ).toEqual(new Set(["CTL-31"]));
  });
});
