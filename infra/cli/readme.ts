import { glob, readFile, writeFile } from "node:fs/promises";
import { capacityPage } from "../deploy/capacity/model.ts";
import { runbookRows } from "../deploy/observation/alerts.ts";
import { metricRows } from "../worker/telemetry/metric-specs.ts";

/** The note from the word to the end of the comment: a block, or lines that begin with `//` or `--`. */
const DIFFERS = /\bDiffers: ((?:(?!\*\/)[^\n])*(?:\n[ \t]*(?:\*(?!\/)|\/\/|--)(?:(?!\*\/)[^\n])*)*)/g;

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

/** Returns what the comments of the product say after `Differs:`, as a list by file with links from a folder of `depth`. */
async function differencesPage(root: URL, depth: number): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob("{functions,shared,infra}/**/*.{ts,tsx,lua}", { cwd: root.pathname }))
    paths.push(path);
  const files = await Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })),
  );
  return files
    .filter(({ path }) => path !== "infra/cli/readme.ts")
    .flatMap(({ path, text }) =>
      [...text.matchAll(DIFFERS)].map(
        ([, rest = ""]) => `- [${path}](${"../".repeat(depth)}${path}): ${sentencesOf(rest)}`,
      ),
    )
    .join("\n");
}

function sentencesOf(comment: string): string {
  const text = comment.replaceAll(/\n[ \t]*(?:\*|\/\/|--)[ \t]*/g, " ").trim();
  return text.replace(/\s*\bSource: .*$/s, "");
}
