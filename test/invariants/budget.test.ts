import { expect, it } from "vitest";
import { cellsOf } from "../support/rules.ts";
import { textsOf } from "../support/sources.ts";

const [page] = await textsOf("shared/decisions/0016-scope.md");
const sources = await textsOf("{functions,shared,infra}/**/*.{ts,tsx,lua,css}");

/** `infra/queue`, two folders deep; `infra` for a file beside the rooms. */
function roomOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/");
}

it("each room keeps to its lines in shared/decisions/0016-scope.md", () => {
  const lines = new Map<string, number>();
  for (const { path, text } of sources)
    lines.set(roomOf(path), (lines.get(roomOf(path)) ?? 0) + text.split("\n").length - 1);
  const budget = new Map(
    (page?.text ?? "")
      .split("\n")
      .map(cellsOf)
      .filter(([, count = ""]) => /^\d+$/.test(count))
      .map(([room = "", count]) => [room, Number(count)]),
  );
  const over = [...lines]
    .filter(([room, count]) => count > (budget.get(room) ?? 0))
    .map(([room, count]) => `${room} has ${count} lines of ${budget.get(room) ?? 0}`);
  const gone = [...budget.keys()].filter((room) => !lines.has(room)).map((room) => `${room} is not a room`);
  expect([...over, ...gone]).toEqual([]);
});
