import { describe, expect, it } from "vitest";
import { type Branch, drawTree } from "../../../../infra/cli/tree/draw-tree.ts";

const leaf = (...lines: readonly string[]): Branch => ({ lines, children: [] });

describe("a drawn tree", () => {
  it("hangs every branch on its parent and puts further lines under the first", () => {
    const tree = {
      lines: ["a", "about a"],
      children: [{ ...leaf("b", "about b"), children: [leaf("c", "about c")] }, leaf("d", "about d")],
    };
    expect(drawTree(tree)).toEqual([
      "a",
      "│ about a",
      "├─ b",
      "│  │ about b",
      "│  └─ c",
      "│       about c",
      "└─ d",
      "     about d",
    ]);
  });
});
