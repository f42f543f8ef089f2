import { describe, expect, it } from "vitest";
import { generateReadme, withGenerated } from "../../../infra/cli/readme.ts";

const text = "# T\n<!-- generated: npm run generate -->\nold\n<!-- end -->\nrest\n";

describe("the generated parts of the READMEs", () => {
  it("are up to date", async () => {
    expect(await generateReadme({ check: true })).toEqual([]);
  });

  it("replace what is between the marks and nothing else, however often", () => {
    const once = withGenerated(text, "new", "README.md");
    expect(once).toBe("# T\n<!-- generated: npm run generate -->\nnew\n<!-- end -->\nrest\n");
    expect(withGenerated(once, "new", "README.md")).toBe(once);
  });

  it("need one place, neither none nor two", () => {
    for (const wrong of ["# T", text.replace("<!-- end -->", ""), text + text]) {
      expect(() => withGenerated(wrong, "new", "README.md")).toThrow("README.md needs one line");
    }
  });
});
