import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { cellsOf, rulesOf } from "../support/rules.ts";
import { textsOf } from "../support/sources.ts";

/** Numbers of every promise about security that was ever given, in blocks of ten; none is used twice. */
const BLOCKS = ["1-7", "10-14", "20-28", "30-33", "40-44", "50-54", "60-66", "70-72"];
const PROMISED = BLOCKS.flatMap((block) => {
  const [first = 0, last = 0] = block.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, n) => `S-${String(first + n).padStart(2, "0")}`);
});
const textOf = async (path: string) => (await textsOf(path))[0];
const page = await textOf("infra/guides/security.md");
const policy = await textOf(".github/SECURITY.md");
const model = await textOf("infra/guides/threat-model.md");
const rows = page === undefined ? [] : rulesOf(page);
const exceptions = (policy?.text.split("\n## Exceptions\n")[1] ?? "")
  .split("\n")
  .map(cellsOf)
  .filter(([id = ""]) => /^S-\d/.test(id));
/** Of the commit, so that an old one stays as green as it was. */
const committed = execFileSync("git", ["log", "-1", "--format=%cs"], { encoding: "utf8" }).trim();

/** Ids of rules that hold in part or not at all. */
const unbuilt = rows.filter(({ not }) => not?.startsWith("built") === true).map(({ id }) => id);

describe("the threat model", () => {
  const [components = "", credentials = ""] = model?.text.split("\n## Credentials\n") ?? [];
  const rowsOf = (text: string) =>
    text
      .split("\n")
      .map(cellsOf)
      .filter((cells) => cells.length > 1 && !cells.every((cell) => /^-*$/.test(cell)));

  it("S-66: answers every threat to every component", () => {
    const sections = components.split("\n### ").slice(1);
    expect(sections.length).toBeGreaterThan(10);
    for (const section of sections) {
      const title = section.split("\n")[0];
      const threats = section.split("\n").filter((line) => line.startsWith("- "));
      expect(threats.length, title).toBeGreaterThan(2);
      for (const threat of threats) expect(threat, title).toMatch(/^- \*\*[STRIDE]\*\* .+\. _.+_$/);
    }
  });

  it("S-66: says of every credential where it is, who uses it, and what it is good for when stolen", () => {
    const stored = rowsOf(credentials).slice(1);
    expect(stored.length).toBeGreaterThan(5);
    for (const cells of stored) {
      expect(
        cells.every((cell) => cell !== ""),
        cells[0],
      ).toBe(true);
    }
  });
});

describe("the promises about security", () => {
  it("have a row each", () => {
    expect(rows.map(({ id }) => id)).toEqual(PROMISED);
  });

  it("hold, or have one exception with reason and end in .github/SECURITY.md", () => {
    expect(exceptions.map(([id]) => id)).toEqual(unbuilt);
    for (const [id = "", missing = "", meanwhile = "", ends = ""] of exceptions) {
      expect(
        [missing, meanwhile].every((text) => text.length > 5),
        `${id} says what is missing`,
      ).toBe(true);
      expect(ends, `${id} ends on a day`).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])-[0-3]\d$/);
      expect(ends > committed, `the exception of ${id} ended on ${ends}: build it, or decide again`).toBe(
        true,
      );
    }
  });
});
