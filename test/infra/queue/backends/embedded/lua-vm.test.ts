import { expect, it } from "vitest";
import { readLua } from "../../../../../infra/queue/backends/redis/ledger/redis-scripts.ts";

const texts = await readLua();
const namesIn = (lists: Iterable<RegExpMatchArray>): readonly string[] =>
  [...lists].flatMap(([, names = ""]) => names.split(", "));

it("begin() resets whatever a call changes: this process defines the parts of the scripts once", () => {
  const ledger = texts.get("ledger") ?? "";
  const [, begin = ""] = /^local function begin\(\)\n(.*?)^end$/ms.exec(ledger) ?? [];
  const declared = namesIn(ledger.matchAll(/^local ([\w, ]+)$/gm));
  expect(declared).toContain("candidates");
  expect(namesIn(begin.matchAll(/^ {2}(?!local)([\w, ]+) = /gm)).toSorted()).toEqual(declared.toSorted());
});

it.each(["ledger", "place", "lease", "outcome"])("%s.lua has no variable of its own beside those", (part) => {
  const text = texts.get(part) ?? "";
  expect(namesIn(text.matchAll(/^local (?!function )([a-z][\w, ]*) = /gm))).toEqual(
    part === "ledger" ? ["call"] : [],
  );
});
