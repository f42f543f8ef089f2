import { describe, expect, it } from "vitest";
import { fileProblem } from "../../../infra/platform/read-small-file.ts";

describe("why a file cannot be read", () => {
  it("is said in words, or as the system says it", () => {
    const problemOf = (code: string) => fileProblem(Object.assign(new Error("EXXX: as it is"), { code }));
    expect(["ENOENT", "ENOTDIR", "EACCES", "EMFILE"].map(problemOf)).toEqual([
      "the file is missing",
      "a part of its path is not a folder",
      "this user may not read it",
      "EXXX: as it is",
    ]);
    expect(fileProblem(new Error("it is not a file"))).toBe("it is not a file");
  });
});
