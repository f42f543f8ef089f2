import { describe, expect, it } from "vitest";
import { type Branch, causeLines, drawTree } from "../../../../infra/cli/tree/lines.ts";

const COMMAND = "kubectl label crd foos.a.b cluster.x-k8s.io/v1beta2=v1";

describe("causeLines", () => {
  it("says what is wrong, and below it what to do", () => {
    const next = `if it may: ${COMMAND}; or upgrade`;
    expect(causeLines({ cause: "CRD foos.a.b\nhas no label", next, severity: "broken" })).toEqual([
      "! CRD foos.a.b has no label",
      `  → if it may: ${COMMAND}; or upgrade`,
    ]);
    expect(causeLines({ cause: "no action", next: "", severity: "held" })).toEqual(["! no action"]);
  });

  it("is wrapped, never cut, on a narrow terminal", () => {
    const lines = causeLines({ cause: "CRD foos.a.b has no label", next: COMMAND, severity: "broken" }, 34);
    expect(lines).toEqual([
      "! CRD foos.a.b has no label",
      "  → kubectl label crd foos.a.b",
      "    cluster.x-k8s.io/v1beta2=v1",
    ]);
    expect(causeLines({ cause: "averyveryverylongword next", next: "", severity: "broken" }, 10)).toEqual([
      "!",
      "    averyveryverylongword",
      "    next",
    ]);
  });
});

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
