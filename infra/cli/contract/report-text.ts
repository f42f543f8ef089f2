import { ALL_RULES, prefixOf, RULE_GROUPS } from "../../../shared/contract/rules/all.ts";
import type { Verdict } from "../../../shared/contract/rules/rule.ts";
import { counted } from "../../../shared/rules/conditions/counted.ts";
import { bold, paint, type Style } from "../../platform/terminal/paint.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import type { Finding, Outcome } from "../../providers/contract/finding.ts";
import { summarize, toReport } from "../../providers/contract/report.ts";

const STYLES: { readonly [verdict in Verdict]: Style } = {
  fail: "red",
  warn: "yellow",
  pass: "green",
  na: "dim",
  unknown: "cyan",
};

/**
 * Returns a line for each finding that is `fail` or `warn`, with `verbose` for each, then a table of counts per contract,
 * then the result.
 */
export function reportLines(outcome: Outcome, verbose: boolean): readonly string[] {
  const { findings } = toReport(outcome);
  const shown = findings.filter(({ verdict }) => verbose || verdict === "fail" || verdict === "warn");
  return [
    ...shown.map(findingLine),
    ...(shown.length === 0 ? [] : [""]),
    ...countLines(findings),
    "",
    resultLine(outcome),
  ];
}

/** Returns `crds.yaml:7: fail IMP-16 awsmachinepools.… v1beta1 status.ready: absent, expected boolean: the only …` */
function findingLine(finding: Finding): string {
  const { file, line, verdict, rule, waived, effect } = finding;
  const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const mark = waived === undefined ? paint(STYLES[verdict], verdict) : paint("dim", `${verdict} (waived)`);
  const why = waived === undefined ? effect : `waived: ${waived}`;
  const consequence =
    verdict === "pass" || verdict === "na" || verdict === "unknown" ? "" : paint("dim", `; ${why}`);
  return `${place}${mark} ${bold(rule)} ${subjectOf(finding)}${valuesOf(finding)}${consequence}`;
}

function subjectOf({ object, contract, path, rule }: Finding): string {
  const name = object.replace(/^CustomResourceDefinition /, "");
  const [version, field] = shortPath(path ?? "");
  // Core may read a version of another name under a contract.
  const differs = version !== "" && contract !== undefined && contract !== version && !rule.startsWith("IP-");
  const under = differs ? `(contract ${contract})` : "";
  return [name, version, under, field].filter((part) => part !== "").join(" ");
}

const VERSION_PATH = /^spec\.versions\[([^\]]*)\]\.(?:schema\.openAPIV3Schema\.?)?(.*)$/;

/** Returns `spec.versions[v1].schema.openAPIV3Schema.properties.status.properties.ready` as `v1` and `status.ready`. */
function shortPath(path: string): readonly [version: string, field: string] {
  const [, version, rest] = VERSION_PATH.exec(path) ?? [];
  if (version === undefined || rest === undefined) return ["", path];
  const field = rest
    .replaceAll("properties.", "")
    .replaceAll(".items", "[]")
    .replaceAll(".additionalProperties", "{}");
  return [version, field];
}

function valuesOf({ found, expected }: Finding): string {
  const values = [
    ...(found === undefined ? [] : [found]),
    ...(expected === undefined ? [] : [`expected ${expected}`]),
  ];
  return values.length === 0 ? "" : `: ${values.join(", ")}`;
}

const COLUMNS = ["fail", "warn", "waived", "pass", "unknown", "na"] as const;

function countLines(findings: readonly Finding[]): readonly string[] {
  const groups = RULE_GROUPS.flatMap(({ prefix, title }) => {
    const own = findings.filter(({ rule }) => prefixOf(rule) === prefix);
    return own.length === 0
      ? []
      : [{ title, counts: summarize(own), objects: new Set(own.map((one) => one.object)).size }];
  });
  const total = {
    title: "Total",
    counts: summarize(findings),
    objects: new Set(findings.map((one) => one.object)).size,
  };
  const rows = groups.length > 1 ? [...groups, total] : groups;
  return tableLines(
    ["CONTRACT", "OBJECTS", ...COLUMNS.map((column) => column.toUpperCase())],
    rows.map(({ title, counts, objects }) => [
      title,
      String(objects),
      ...COLUMNS.map((column) => painted(column, counts[column])),
    ]),
  );
}

function painted(column: (typeof COLUMNS)[number], count: number): string {
  if (count === 0) return paint("dim", "0");
  return column === "waived" ? String(count) : paint(STYLES[column], String(count));
}

function resultLine({ findings, crds, problems, judged }: Outcome): string {
  const { fail, warn } = summarize(findings);
  const read = judged ?? `${counted(crds.length, "CRD")} judged by ${ALL_RULES.length} rules`;
  if (problems.length > 0) {
    if (judged !== undefined) return `${paint("red", counted(problems.length, "problem"))}; ${read}`;
    return `${paint("red", counted(problems.length, "input"))} could not be read; ${read}`;
  }
  if (fail > 0) return `${paint("red", `${fail} broken`)}; ${read}`;
  return warn > 0
    ? `${paint("yellow", `kept, with ${counted(warn, "warning")}`)}; ${read}`
    : `${paint("green", "kept")}; ${read}`;
}
