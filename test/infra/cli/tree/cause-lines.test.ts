import { describe, expect, it } from "vitest";
import { causeLines } from "../../../../infra/cli/tree/cause-lines.ts";

const COMMAND = "kubectl label crd foos.a.b cluster.x-k8s.io/v1beta2=v1";

describe("causeLines", () => {
  it("says what is wrong, and below it what to do", () => {
    const message = `CRD foos.a.b\nhas no label; if it may: ${COMMAND}; or upgrade`;
    expect(causeLines({ about: "definition", message })).toEqual([
      "! CRD foos.a.b has no label",
      `  → if it may: ${COMMAND}; or upgrade`,
    ]);
    expect(causeLines({ about: "topology", message: "no action" })).toEqual(["! no action"]);
  });

  it("is wrapped, never cut, on a narrow terminal", () => {
    const lines = causeLines({ about: "definition", message: `CRD foos.a.b has no label; ${COMMAND}` }, 34);
    expect(lines).toEqual([
      "! CRD foos.a.b has no label",
      "  → kubectl label crd foos.a.b",
      "    cluster.x-k8s.io/v1beta2=v1",
    ]);
    expect(causeLines({ about: "topology", message: "averyveryverylongword next" }, 10)).toEqual([
      "!",
      "    averyveryverylongword",
      "    next",
    ]);
  });
});
