import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import type { Finding, Outcome } from "../../../../infra/providers/contract/finding.ts";
import { judgeCrds } from "../../../../infra/providers/contract/judge-crds.ts";
import { readCrd } from "../../../../infra/providers/contract/read-crd.ts";
import { toSarif } from "../../../../infra/providers/contract/report.ts";
import { ALL_RULES } from "../../../../shared/contract/rules/all.ts";
import { goodCrd, without } from "../../../support/contract/crds.ts";

/** The schema of SARIF 2.1.0 as schemastore publishes it; it is written for an older dialect, which differs in two members. */
const {
  $schema: _dialect,
  id: _id,
  ...schema
} = JSON.parse(await readFile(new URL("sarif-2.1.0.schema.json", import.meta.url), "utf8"));
const validate = new Ajv({
  allErrors: true,
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
}).compile(schema);

function errorsOf(log: object): readonly string[] {
  validate(log);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const crd = goodCrd("InfraMachinePool");
without(crd, "v1beta2", "status.ready");
without(crd, "v1beta2", "status.conditions");
const placed = readCrd({ value: { ...crd }, file: "config/crd/with blank #1.yaml", line: 7 }, whyRefused);
const findings: readonly Finding[] =
  "crd" in placed
    ? judgeCrds([placed], { named: new Map(), assumed: "v1beta2", waivers: new Map([["IMP-22", "later"]]) })
    : [];
const outcome: Outcome = { crds: [], findings, problems: [], rules: ALL_RULES };

interface Log {
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly rules: readonly { readonly id: string; readonly helpUri: string }[] };
    };
    readonly invocations: readonly object[];
    readonly results: readonly { readonly [member: string]: unknown }[];
  }[];
}

function runOf(of: Outcome, exitCode: number) {
  const [run] = (toSarif(of, exitCode) as Log).runs;
  if (run === undefined) throw new Error("bug: no run");
  return run;
}

describe("toSarif", () => {
  it("is valid SARIF 2.1.0, with findings, without, and with inputs that cannot be read", () => {
    const problems = [
      { file: "<stdin>", line: 3, message: "is not YAML" },
      { file: "/tmp/x.yaml", message: "does not exist" },
    ];
    expect(errorsOf(toSarif(outcome, 1))).toEqual([]);
    expect(errorsOf(toSarif({ ...outcome, findings: [] }, 0))).toEqual([]);
    expect(errorsOf(toSarif({ ...outcome, problems }, 2))).toEqual([]);
    expect(errorsOf({ ...toSarif(outcome, 1), version: "2.0.0" })).not.toEqual([]);
  });

  it("has one result for each fail and warn, with file and line; waived ones are suppressed", () => {
    const { results, tool } = runOf(outcome, 1);
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(["IMP-16", "IMP-22"]);
    expect(results.map(({ ruleId, level, suppressions }) => [ruleId, level, suppressions])).toEqual([
      ["IMP-16", "error", undefined],
      ["IMP-22", "warning", [{ kind: "external", justification: "later" }]],
    ]);
    expect(results[0]?.["locations"]).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: "config/crd/with%20blank%20%231.yaml" },
          region: { startLine: 7 },
        },
        logicalLocations: [
          { fullyQualifiedName: expect.stringContaining("properties.status.properties.ready") },
        ],
      },
    ]);
  });

  it("links each rule to its source", () => {
    const links = runOf(outcome, 1).tool.driver.rules.map(({ helpUri }) => helpUri);
    expect(links.every((link) => URL.canParse(link))).toBe(true);
  });

  it("reports inputs that cannot be read as notifications", () => {
    const problem = { file: "bad.yaml", line: 2, message: "is empty" };
    expect(runOf({ ...outcome, problems: [problem] }, 2).invocations).toEqual([
      {
        executionSuccessful: false,
        exitCode: 2,
        toolExecutionNotifications: [
          {
            level: "error",
            message: { text: "bad.yaml is empty" },
            locations: [
              { physicalLocation: { artifactLocation: { uri: "bad.yaml" }, region: { startLine: 2 } } },
            ],
          },
        ],
      },
    ]);
  });
});
