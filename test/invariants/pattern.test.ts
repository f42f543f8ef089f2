import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sourcesIn } from "../support/sources.ts";

const ROOT = new URL("../../", import.meta.url);
const page = await readFile(new URL("functions/README.md", ROOT), "utf8");
const paths = (await sourcesIn("functions")).map(({ path }) => path);
/** A policy has no objects at all, so it has no provider objects. */
const kinds = [...new Set(paths.map((path) => path.split("/")[1] ?? ""))].filter(
  (kind) => kind !== "remediationpolicy",
);

/** Rows of the table whose first header is this, as the names in backticks of each cell. */
function tableOf(header: string): readonly (readonly (readonly string[])[])[] {
  const [, rest = ""] = page.split(new RegExp(`^\\| ${header} .*\\n\\| -.*\\n`, "m"));
  const [rows = ""] = rest.split("\n\n");
  return rows.split("\n").map((row) => {
    const cells = row.split("|").slice(1, -1);
    return cells.map((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name));
  });
}

const asked = new Map(tableOf("Function").map(([name, , rules]) => [name?.[0] ?? "", rules ?? []]));
const files = tableOf("Rule file").flatMap(([names]) => names ?? []);

describe("the pattern of a kind, as functions/README.md describes it", () => {
  it("names each of its rules once, and asks none that it does not name", () => {
    expect([...asked.keys()]).toEqual(["guard", "adopt", "sync", "status", "delete"]);
    expect(files.length).toBe(new Set(files).size);
    const rules = new Set([...asked.values()].flat());
    expect(rules.size).toBeGreaterThan(5);
    expect([...rules].filter((rule) => !files.includes(rule))).toEqual([]);
  });

  it.each(kinds)("is kept by %s: its functions ask rules of these names", async (kind) => {
    const missing: string[] = [];
    for (const [name, rules] of asked) {
      const path = `functions/${kind}/${name}.ts`;
      if (!paths.includes(path)) continue;
      const code = await readFile(new URL(path, ROOT), "utf8");
      missing.push(
        ...rules.filter((rule) => !code.includes(`"./rules/${rule}.ts"`)).map((r) => `${path} ${r}`),
      );
    }
    expect(missing).toEqual([]);
  });

  it("is kept by Cluster and MachinePool as a whole", () => {
    for (const kind of ["cluster", "machinepool"]) {
      const rules = files.map((rule) => `functions/${kind}/rules/${rule}.ts`);
      expect(rules.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
    }
  });
});
