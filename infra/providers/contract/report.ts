import type { Verdict } from "../../../shared/contract/rules/rule.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Finding, Outcome, ReportedCrd } from "./finding.ts";
import { CORE_VERSION } from "./links.ts";

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
export type Summary = { readonly [verdict in Verdict | "waived"]: number };

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
