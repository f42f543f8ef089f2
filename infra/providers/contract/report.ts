import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { RuleText, Verdict } from "../../../shared/contract/rules/rule.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { packageVersion } from "../../platform/package-version.ts";
import {
  CORE_VERSION,
  type Finding,
  type InputProblem,
  linkTo,
  type Outcome,
  type ReportedCrd,
} from "./finding.ts";
import { STANDARD_INPUT } from "./read-files.ts";

/** The report of `check` and `probe` as JSON. */
export interface Report {
  readonly schema: "capstan.dev/contract-report/v1";
  /** Version of Cluster API whose behaviour the findings describe. */
  readonly core: typeof CORE_VERSION;
  readonly crds: readonly ReportedCrd[];
  readonly findings: readonly Finding[];
  readonly summary: Summary;
}

/** How many findings have each verdict; waived ones are counted under `waived` only. */
type Summary = { readonly [verdict in Verdict | "waived"]: number };

/** The same outcome gives the same report, in whatever order it was found. */
export function toReport({ crds, findings }: Pick<Outcome, "crds" | "findings">): Report {
  const sorted = findings.toSorted(compareFindings);
  return {
    schema: "capstan.dev/contract-report/v1",
    core: CORE_VERSION,
    crds: crds.toSorted((a, b) => compareText(a.name, b.name)),
    findings: sorted,
    summary: summarize(sorted),
  };
}

export function summarize(findings: readonly Finding[]): Summary {
  const summary = { pass: 0, fail: 0, warn: 0, na: 0, unknown: 0, waived: 0 };
  for (const { verdict, waived } of findings) summary[waived === undefined ? verdict : "waived"] += 1;
  return summary;
}

/** Returns the exit code. 0: keeps the contracts; 1: does not; 2: an input could not be read. */
export function exitStatus({ findings, problems }: Outcome, failOn: "fail" | "warn"): 0 | 1 | 2 {
  if (problems.length > 0) return 2;
  const { fail, warn } = summarize(findings);
  return fail > 0 || (failOn === "warn" && warn > 0) ? 1 : 0;
}

const ORDER = ["file", "object", "rule", "contract", "path", "found"] as const;

function compareFindings(a: Finding, b: Finding): number {
  for (const member of ORDER) {
    const order = compareText(a[member] ?? "", b[member] ?? "");
    if (order !== 0) return order;
  }
  return (a.line ?? 0) - (b.line ?? 0);
}

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const HOME = "https://github.com/kubernetes-sigs/cluster-api/issues/13254";

/** Returns the findings that are `fail` or `warn` as a SARIF 2.1.0 log, as code scanning reads it. */
export function toSarif(outcome: Outcome, exitCode: number): object {
  const { findings } = toReport(outcome);
  const shown = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const ids = [...new Set(shown.map(({ rule }) => rule))].toSorted(compareText);
  const rules = ids.flatMap((id) => outcome.rules.find((rule) => rule.id === id) ?? []);
  const indexOf = new Map(rules.map(({ id }, index) => [id, index]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "capstan contract check",
            version: packageVersion(),
            informationUri: HOME,
            rules: rules.map(toRule),
          },
        },
        invocations: [toInvocation(outcome.problems, exitCode)],
        results: shown.map((finding) => toResult(finding, indexOf.get(finding.rule) ?? -1)),
      },
    ],
  };
}

function toRule({ id, sentence, effect, source, level }: RuleText): object {
  const strict = level === "MUST" || (typeof level === "object" && Object.values(level).includes("MUST"));
  const text = `${sentence}. Where it does not hold: ${effect}.`;
  return {
    id,
    shortDescription: { text: sentence },
    fullDescription: { text },
    help: { text: `${text} Source: ${linkTo(source)}` },
    helpUri: linkTo(source),
    defaultConfiguration: { level: strict ? "error" : "warning" },
  };
}

function toResult(finding: Finding, ruleIndex: number): object {
  const { rule, verdict, object, path, waived } = finding;
  const name = path === undefined ? object : `${object} ${path}`;
  return {
    ruleId: rule,
    ruleIndex,
    level: verdict === "fail" ? "error" : "warning",
    message: { text: messageOf(finding) },
    locations: [{ ...physical(finding), logicalLocations: [{ fullyQualifiedName: name }] }],
    ...(waived === undefined ? {} : { suppressions: [{ kind: "external", justification: waived }] }),
  };
}

function messageOf({ object, contract, path, found, expected, effect }: Finding): string {
  const where = [object, contract, path].filter((part) => part !== undefined).join(" ");
  const values = [
    ...(found === undefined ? [] : [`found ${found}`]),
    ...(expected === undefined ? [] : [`expected ${expected}`]),
  ];
  return `${where}: ${values.join(", ")}. ${effect}.`;
}

function physical({ file, line }: Pick<Finding, "file" | "line">): object {
  if (file === undefined) return {};
  const region = line === undefined ? {} : { region: { startLine: Math.max(line, 1) } };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } };
}

/** Relative paths stay relative to the folder of the call, so that code scanning finds the file in the repository. */
function uriOf(file: string): string {
  if (file === STANDARD_INPUT) return "stdin";
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(/[\\/]/).map(encodeURIComponent).join("/");
}

function toInvocation(problems: readonly InputProblem[], exitCode: number): object {
  return {
    executionSuccessful: problems.length === 0,
    exitCode,
    toolExecutionNotifications: problems.map(({ file, line, message }) => ({
      level: "error",
      message: { text: `${file} ${message}` },
      locations: [physical({ file, line })],
    })),
  };
}
