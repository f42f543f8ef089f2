import { glob, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../../", import.meta.url);
/** Where the tests are that the second column names, in the order in which a name is looked for. */
const DECIDED = [
  "test/functions/machinepool",
  "test/functions/machinepool/rules",
  "test/shared/rules/conditions",
  "test/shared/rules/machines",
  "test/shared/rules/metadata",
  "test/shared/rules/providers",
  "test/shared/contract",
  "test/shared/api",
  "test/shared/function",
  "test/shared/runtime",
  "test/infra/relay/workload",
  "test/invariants",
];
const SEEN = ["test/system"];
const SECTIONS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "16", "17"];

/** The table, row by row: rule, decision tests, system tests. */
async function rows(): Promise<readonly (readonly string[])[]> {
  const text = await readFile(new URL("functions/machinepool/README.md", ROOT), "utf8");
  const cells = text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
  return cells.slice(2);
}

/** `rules/nodes`: names each listed Node → file and beginning of a title. */
function citations(cell: string): readonly { readonly file: string; readonly title: string }[] {
  return cell
    .split(/; (?=`)/)
    .filter((part) => part !== "")
    .map((part) => {
      const [, file = part, title = ""] = /^`([a-z/-]+)`(?:: (.*))?$/.exec(part) ?? [];
      return { file, title };
    });
}

async function testFiles(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders.toReversed()) {
    for await (const path of glob(`${folder}/*.test.ts`, { cwd: ROOT.pathname })) {
      const name = path.slice(folder.length + 1, -".test.ts".length);
      const prefix = folder.startsWith("test/functions/") && folder.endsWith("/rules") ? "rules/" : "";
      files.set(`${prefix}${name}`, await readFile(new URL(path, ROOT), "utf8"));
    }
  }
  return files;
}

/** Whether a text in the code begins so. */
function begins(code: string, title: string): boolean {
  return title === "" || code.includes(`"${title}`) || code.includes(`\`${title}`);
}

describe("the table of the rules of MachinePool", () => {
  it("names tests that are there, by the beginning of their titles", async () => {
    const [decided, seen] = [await testFiles(DECIDED), await testFiles(SEEN)];
    const cited = (await rows()).flatMap(([, inDecided = "", inSeen = ""]) => [
      ...citations(inDecided).map((citation) => ({ ...citation, code: decided.get(citation.file) })),
      ...citations(inSeen).map((citation) => ({ ...citation, code: seen.get(citation.file) })),
    ]);
    expect(cited.length).toBeGreaterThan(100);
    const wrong = cited
      .filter(({ title, code }) => code === undefined || !begins(code, title))
      .map(({ file, title }) => `${file}: ${title}`);
    expect(wrong).toEqual([]);
  });

  it("has every section that says what happens, and a test for every row", async () => {
    const table = await rows();
    const sections = new Set(table.map(([rule = ""]) => /^\d+/.exec(rule)?.[0]));
    expect(SECTIONS.filter((section) => !sections.has(section))).toEqual([]);
    expect(table.filter(([, decided, seen]) => decided === "" && seen === "")).toEqual([]);
  });
});
