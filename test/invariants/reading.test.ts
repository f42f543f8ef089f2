import { describe, expect, it } from "vitest";
import { sourcesIn } from "../support/sources.ts";
import { alike, median, type Reading, readingOf } from "./functions/reading.ts";

/** Without the simulated provider, which belongs to the playground. */
const sources = (await sourcesIn("functions")).filter(({ path }) => !path.startsWith("functions/sim/"));
const readings = readingOf(sources);
const above = (figure: "modules" | "specLines", most: number) =>
  readings.filter((reading) => reading[figure] > most).map((each) => `${each.path}: ${each[figure]}`);

describe("a function reads like its step", () => {
  it("imports 8 modules in the median, and 16 at most", () => {
    expect(readings.length).toBeGreaterThan(25);
    expect(median(readings.map(({ modules }) => modules))).toBeLessThanOrEqual(8);
    expect(above("modules", 16)).toEqual([]);
  });

  it("has a spec of at most 40 lines", () => {
    expect(readings.every(({ specLines }) => specLines > 0)).toBe(true);
    expect(above("specLines", 40)).toEqual([]);
  });

  it("does not begin with the same four lines as its neighbour", () => {
    expect(alike(readings)).toEqual([]);
  });

  it("is seen to import, declare and repeat", () => {
    const code = [
      'import { a } from "../../shared/api/entry.ts";',
      'import { b } from "./rules/b.ts";',
      "export const x = defineFunction(",
      "  {",
      "    name: a,",
      "    summary: b,",
      "  },",
      "  async (object) => {",
      "    // Why.",
      "    const c = 1;",
      "    return c;",
      "  },",
      ");",
    ].join("\n");
    const [one, other] = readingOf([
      { path: "functions/pool/a.ts", code },
      { path: "functions/pool/b.ts", code },
      { path: "functions/pool/rules/b.ts", code },
    ]) as readonly [Reading, Reading];
    expect(one).toMatchObject({ modules: 2, specLines: 2 });
    expect(alike([one, other])).toEqual(["functions/pool/a.ts and functions/pool/b.ts begin alike"]);
    expect(alike([one, { ...other, path: "functions/set/b.ts" }])).toEqual([]);
  });
});
