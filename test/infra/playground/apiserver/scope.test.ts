import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CORE_KINDS } from "../../../../infra/playground/apiserver/kinds/core-kinds.ts";

const page = await readFile(
  new URL("../../../../infra/playground/apiserver/README.md", import.meta.url),
  "utf8",
);

/** The names of an item of the list of served things. */
function served(row: string): ReadonlySet<string> {
  const [, names = ""] = new RegExp(`^- ${row}: (.*)$`, "m").exec(page) ?? [];
  return new Set(names.split(", "));
}

describe("the frozen scope of the embedded API server", () => {
  it("has these compiled-in kinds", () => {
    expect(served("Compiled-in kinds")).toEqual(new Set(CORE_KINDS.map(({ kind }) => kind)));
  });

  it("has these subresources", () => {
    const found = CORE_KINDS.flatMap(({ versions }) =>
      versions.flatMap(({ hasStatus, scale, subresources = {} }) => [
        ...Object.keys(subresources),
        ...(hasStatus ? ["status"] : []),
        ...(scale === undefined ? [] : ["scale"]),
      ]),
    );
    expect(served("Subresources")).toEqual(new Set(found));
  });
});
