import { describe, expect, it } from "vitest";
import { functionTable, generateReadme, withTable } from "../../../infra/cli/readme.ts";

const text = "# T\n<!-- generated: npm run generate -->\nold\n<!-- end -->\nrest\n";
const row = { name: "a-b", reconciles: "A", watches: ["A", "B"], owns: [], summary: "Does x | y." };

describe("the table of functions in README", () => {
  it("is up to date", async () => {
    expect(await generateReadme({ check: true })).toEqual([]);
  });

  it("replaces what is between the marks and nothing else, however often", () => {
    const once = withTable(text, "new");
    expect(once).toBe("# T\n<!-- generated: npm run generate -->\nnew\n<!-- end -->\nrest\n");
    expect(withTable(once, "new")).toBe(once);
  });

  it("is refused a text without its marks, or with two of them", () => {
    for (const wrong of ["# T", text.replace("<!-- end -->", ""), text + text]) {
      expect(() => withTable(wrong, "new")).toThrow("README.md needs one line");
    }
  });

  it("has a row per function", () => {
    expect(functionTable([row])).toBe(
      "| Function | Reconciles | Wakes on | Summary |\n| --- | --- | --- | --- |\n| `a-b` | A | A, B | Does x \\| y. |",
    );
  });
});
