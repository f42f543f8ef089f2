import { describe, expect, it } from "vitest";
import { holdRows } from "../../../../../infra/console/page/list/held-rows.ts";

const row = (id: string, text = id) => ({ id, text });
const hold = (
  shown: readonly { id: string; text: string }[],
  newest: readonly { id: string; text: string }[],
) => holdRows(shown, newest, ({ id }) => id);

describe("rows that a person reads", () => {
  it("stay in their places and get their new content", () => {
    const { rows, waiting, gone } = hold([row("a"), row("b")], [row("b", "new"), row("a")]);
    expect(rows).toEqual([row("a"), row("b", "new")]);
    expect([waiting, gone.size]).toEqual([0, 0]);
  });

  it("stay when the newest list lacks them, and new rows wait", () => {
    const { rows, waiting, gone } = hold([row("a"), row("b")], [row("c"), row("a")]);
    expect(rows).toEqual([row("a"), row("b")]);
    expect([waiting, [...gone]]).toEqual([1, ["b"]]);
  });

  it("are followed by those of the next page", () => {
    const { rows, waiting } = hold([row("a"), row("b")], [row("c"), row("a"), row("b"), row("d")]);
    expect(rows.map(({ id }) => id)).toEqual(["a", "b", "d"]);
    expect(waiting).toBe(1);
  });
});
