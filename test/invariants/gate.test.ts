import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { textsOf } from "../support/sources.ts";

const gate = await readFile(new URL("../../.ci/run", import.meta.url), "utf8");

describe("the slow tests of .ci/run", () => {
  it("are there: a file that has gone or a title that has changed would be skipped in silence", async () => {
    const [, files = "", filter = ""] = /test:slow -- (.+) -t "([^"]+)"/.exec(gate) ?? [];
    const texts = await textsOf("test/**/*.ts");
    const titles = filter.split("|");
    expect(titles.length).toBeGreaterThan(1);
    const missing = files.split(" ").filter((file) => !texts.some(({ path }) => path === file));
    // Titles may stand in the suites that the files play.
    const unknown = titles.filter((title) => !texts.some(({ text }) => text.includes(title)));
    expect([...missing, ...unknown]).toEqual([]);
  });
});
