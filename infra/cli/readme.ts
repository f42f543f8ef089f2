import { readFile, writeFile } from "node:fs/promises";
import { capacityPage } from "../deploy/capacity/page.ts";
import { runbookRows } from "../deploy/observation/alerts.ts";
import { metricRows } from "../worker/telemetry/metric-specs.ts";
import { differencesPage } from "./differences.ts";

const ROOT = new URL("../../", import.meta.url);
const START = "<!-- generated: npm run generate -->";
const END = "<!-- end -->";

/**
 * Brings the lists of metrics, alerts and differences and the capacity tables up to date, or with `check` only looks.
 * Returns the files that were out of date.
 */
export async function generateReadme({ check }: { readonly check: boolean }): Promise<readonly string[]> {
  const generated = [
    ["infra/worker/telemetry/README.md", listOf(metricRows())],
    ["infra/deploy/observation/README.md", listOf(runbookRows())],
    ["infra/deploy/capacity/README.md", capacityPage()],
    ["infra/guides/differences.md", await differencesPage(ROOT, 2)],
  ] as const;
  const updated = await Promise.all(generated.map(([file, part]) => update(file, part, check)));
  return updated.flat();
}

/** Returns `- name (kind): meaning`, an item per row. */
function listOf(rows: readonly (readonly string[])[]): string {
  return rows.map(([name, kind, meaning]) => `- ${name} (${kind}): ${meaning}`).join("\n");
}

async function update(file: string, part: string, check: boolean): Promise<readonly string[]> {
  const url = new URL(file, ROOT);
  const before = await readFile(url, "utf8");
  const after = withGenerated(before, part, file);
  if (after === before) return [];
  if (!check) await writeFile(url, after);
  return [file];
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
