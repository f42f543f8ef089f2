import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { LONGEST } from "./longest-first.ts";

it("the files that are begun first are there, each once", () => {
  const missing = LONGEST.filter((name) => !existsSync(new URL(`../${name}.test.ts`, import.meta.url)));
  expect(missing).toEqual([]);
  expect(new Set(LONGEST).size).toBe(LONGEST.length);
});
