import { describe, expect, it } from "vitest";
import type { Remediation } from "../../../../infra/cli/remediations/remediation-list.ts";
import { textOfRemediations } from "../../../../infra/cli/remediations/remediations.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const OPEN: Remediation = {
  at: "2026-01-01T11:59:00Z",
  healthCheck: "default/h1",
  machine: "default/m1",
  uid: "uid-m1",
  reason: "UnhealthyNode",
  failedAt: "2026-01-01T11:58:53Z",
  waitedFor: ["calm"],
  actor: "MachineSet s1",
  outcome: "open",
};

describe("capstan remediations", () => {
  it("has a row per remediation, with how long it lasts, or nothing where its end is not known", () => {
    const recovered = { ...OPEN, outcome: "recovered", endedAt: "2026-01-01T11:59:20Z" } as const;
    const replaced = { at: OPEN.at, machine: "default/m2", uid: "u", outcome: "replaced" } as const;
    expect(textOfRemediations([OPEN, recovered, replaced], NOW)).toEqual([
      "WHEN                            CHECK       MACHINE     REASON         WAITED   ACTED          OUTCOME    LASTED",
      "2026-01-01T11:59:00Z (60s ago)  default/h1  default/m1  UnhealthyNode  7s calm  MachineSet s1  open       60s",
      "2026-01-01T11:59:00Z (60s ago)  default/h1  default/m1  UnhealthyNode  7s calm  MachineSet s1  recovered  20s",
      "2026-01-01T11:59:00Z (60s ago)              default/m2                                         replaced",
    ]);
  });

  it("ends after fifty rows and counts the rest", () => {
    const lines = textOfRemediations(
      Array.from({ length: 1_000 }, () => OPEN),
      NOW,
    );
    expect(lines).toHaveLength(52);
    expect(lines.at(-1)).toBe("and 950 older ones; -o json shows all");
  });

  it("says that it has found none", () => {
    expect(textOfRemediations([], NOW)).toEqual([
      expect.stringMatching(/^no remediations: no Event, no condition/),
    ]);
  });

  it("says how long an escalated one lasts, and nothing of one that was not started", () => {
    const escalated = { ...OPEN, outcome: "escalated" } as const;
    const idle = { ...OPEN, failedAt: OPEN.at, outcome: "not started" } as const;
    const [, first, second] = textOfRemediations([escalated, idle], NOW);
    expect(first).toMatch(/escalated +60s$/);
    expect(second).toMatch(/UnhealthyNode +MachineSet s1 +not started$/);
  });
});
