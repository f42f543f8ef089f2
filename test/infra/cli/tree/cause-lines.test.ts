import { describe, expect, it } from "vitest";
import { causeLines } from "../../../../infra/cli/tree/cause-lines.ts";

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
