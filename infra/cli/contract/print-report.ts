import { print, printError, printJson } from "../../platform/terminal/print.ts";
import type { Outcome } from "../../providers/contract/finding.ts";

/** How a judging command reports. */
export interface ReportOptions {
  readonly failOn: "fail" | "warn";
  readonly verbose?: boolean;
  readonly output: "text" | "json" | "sarif";
}

/** Parts of a report beside its findings. */
interface Beside {
  /** Members of the JSON document. */
  readonly members?: object;
  /** Lines before those of the findings. */
  readonly lines?: readonly string[];
}

/** Prints the report to standard output and inputs that could not be read to standard error. Returns the exit status. */
export async function printReport(
  outcome: Outcome,
  { failOn, output, verbose }: ReportOptions,
  { members = {}, lines = [] }: Beside = {},
): Promise<number> {
  const { exitStatus, toReport } = await import("../../providers/contract/report.ts");
  const status = exitStatus(outcome, failOn);
  switch (output) {
    case "json":
      printJson({ ...toReport(outcome), ...members });
      break;
    case "sarif": {
      const { toSarif } = await import("../../providers/contract/sarif.ts");
      printJson(toSarif(outcome, status));
      break;
    }
    case "text": {
      const { reportLines } = await import("./report-text.ts");
      const report = outcome.findings.length > 0 ? reportLines(outcome, verbose === true) : [];
      for (const line of [...lines, ...report]) print(line);
      break;
    }
    default:
      output satisfies never;
  }
  for (const { file, line, message } of outcome.problems) {
    printError(`${file}${line === undefined ? "" : `:${line}`}: ${message}`);
  }
  return status;
}
