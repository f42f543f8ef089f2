import { readFile, writeFile } from "node:fs/promises";
import { capacityPage } from "../deploy/capacity/page.ts";
import { runbookRows } from "../deploy/observation/alerts.ts";
import { alignedTable } from "../platform/markdown-table.ts";
import { loadFunctions } from "../worker/load.ts";
import { metricRows } from "../worker/telemetry/metric-specs.ts";
import { rulesReference } from "./contract/reference-page.ts";
import { type FunctionRow, toRow } from "./functions.ts";

const ROOT = new URL("../../", import.meta.url);
const START = "<!-- generated: npm run generate -->";
const END = "<!-- end -->";

/**
 * Brings the tables of functions, of metrics and of capacity up to date, or with
 * `check` only looks. Returns the files that were out of date.
 */
export async function generateReadme({ check }: { readonly check: boolean }): Promise<readonly string[]> {
  const table = functionTable((await loadFunctions()).map(toRow));
  const generated = [
    ["README.md", table],
    ["infra/worker/telemetry/README.md", alignedTable(["Metric", "Type", "Meaning"], metricRows())],
    ["infra/deploy/observation/README.md", alignedTable(["Alert", "Severity", "Look at"], runbookRows())],
    ["infra/deploy/capacity/README.md", capacityPage()],
    ["shared/contract/rules/README.md", rulesReference()],
  ] as const;
  const updated = await Promise.all(generated.map(([file, part]) => update(file, part, check)));
  return updated.flat();
}

async function update(file: string, part: string, check: boolean): Promise<readonly string[]> {
  const url = new URL(file, ROOT);
  const before = await readFile(url, "utf8");
  const after = withGenerated(before, part, file);
  if (after === before) return [];
  if (!check) await writeFile(url, after);
  return [file];
}

/** Markdown table, one function per row, in the order given. */
export function functionTable(rows: readonly FunctionRow[]): string {
  const header = ["Function", "Reconciles", "Wakes on", "Summary"];
  const cells = rows.map(({ name, reconciles, watches, summary }) => [
    `\`${name}\``,
    reconciles,
    watches.join(", "),
    summary,
  ]);
  return alignedTable(header, cells);
}

/** Replaces what is between the two marks. Throws when a text has not exactly one of each, in that order. */
export function withGenerated(text: string, part: string, file: string): string {
  const [before, rest, ...more] = text.split(START);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end < 0 || more.length > 0) {
    throw new Error(`${file} needs one line "${START}" with one "${END}" below`);
  }
  return `${before}${START}\n${part}\n${rest.slice(end)}`;
}
