import { readFile, writeFile } from "node:fs/promises";
import { loadFunctions } from "../worker/load.ts";
import { type FunctionRow, toRow } from "./functions.ts";

const README = new URL("../../README.md", import.meta.url);
const START = "<!-- generated: npm run generate -->";
const END = "<!-- end -->";

/** Brings the table of functions in README up to date, or with `check` only looks. Gives README if it was not. */
export async function generateReadme({ check }: { readonly check: boolean }): Promise<readonly string[]> {
  const [before, functions] = await Promise.all([readFile(README, "utf8"), loadFunctions()]);
  const after = withTable(before, functionTable(functions.map(toRow)));
  if (after === before) return [];
  if (!check) await writeFile(README, after);
  return ["README.md"];
}

/** Markdown table, one function per row, in the order given. */
export function functionTable(rows: readonly FunctionRow[]): string {
  const cells = rows.map(({ name, reconciles, watches, summary }) => [
    `\`${name}\``,
    reconciles,
    watches.join(", "),
    summary,
  ]);
  const lines = [["Function", "Reconciles", "Wakes on", "Summary"], ["---", "---", "---", "---"], ...cells];
  return lines.map((line) => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

/** Replaces what is between the two marks. Throws when a text has not exactly one of each, in that order. */
export function withTable(text: string, table: string): string {
  const [before, rest, ...more] = text.split(START);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end < 0 || more.length > 0) {
    throw new Error(`README.md needs one line "${START}" with one "${END}" below`);
  }
  return `${before}${START}\n${table}\n${rest.slice(end)}`;
}
