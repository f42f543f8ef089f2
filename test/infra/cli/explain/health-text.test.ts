import { describe, expect, it } from "vitest";
import { textOfCheck, textOfMachineHealth } from "../../../../infra/cli/explain/health-text.ts";
import type { ExplainedHealth } from "../../../../infra/operate/explain/explain-health.ts";
import type { TargetReport } from "../../../../shared/function/health-report.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const at = (time: string) => `2026-01-01T${time}Z`;
const GOOD: TargetReport = { machine: "good", verdict: "healthy", since: at("08:00:00") };
const BAD: TargetReport = {
  machine: "bad",
  verdict: "unhealthy",
  reason: "UnhealthyNode",
  findings: ["Condition Ready on Node is reporting status False"],
  since: at("11:59:00"),
  next: at("12:00:04"),
  place: "the Machine itself",
  waitsFor: "calm",
};

function health(overrides: Partial<ExplainedHealth> = {}): ExplainedHealth {
  return {
    healthCheck: "default/h1",
    nodes: "seen",
    counts: { healthy: 1, pending: 0, unhealthy: 1, neither: 0, unknown: 0 },
    limit: { isAllowed: true, used: 1, places: 2 },
    targets: [BAD, GOOD],
    ...overrides,
  };
}

describe("a health check as text", () => {
  it("has its facts and a row per target that is not healthy, and counts the others", () => {
    const handOver = { because: "calm", text: "Remediation waits", until: at("12:00:04") };
    expect(textOfCheck(health({ handOver }), NOW)).toEqual([
      "targets    2, 1 healthy, 1 unhealthy",
      "limit      allows remediation, 1 of 2 places used",
      "hand-over  waits for calm (in 4s): Remediation waits",
      "MACHINE  VERDICT                   SINCE  NEXT   PLACE               WAITS FOR",
      "bad      unhealthy: UnhealthyNode  60s    in 4s  the Machine itself  calm",
      "1 target is healthy",
    ]);
  });

  it("shows a healthy target that keeps a place", () => {
    const kept = { ...GOOD, place: "MachineSet s1", waitsFor: "MachineSet s1 to act" };
    expect(textOfCheck(health({ targets: [kept] }), NOW).at(-1)).toMatch(
      /^good +healthy +4h +MachineSet s1 +MachineSet s1 to act$/,
    );
  });

  it("says why nothing is allowed, and that Nodes are not visible, since when and why", () => {
    const limit = { isAllowed: false, message: "too many", used: 3, places: 1 };
    const unseen = { since: at("11:50:00"), reason: "the server does not answer" };
    const lines = textOfCheck(health({ nodes: "unseen", limit, unseen, targets: [] }), NOW);
    expect(lines).toEqual([
      `Nodes    are not visible since ${at("11:50:00")} (10m): the server does not answer`,
      "targets  0, 1 healthy, 1 unhealthy",
      "limit    too many; 3 of 1 places used",
    ]);
  });

  it("says which of its checks never fail, and that the limit is an old one", () => {
    const limit = { isAllowed: true, used: 1, isStored: true } as const;
    const remarks = ["spec.a: never", "spec.b: never"];
    expect(textOfCheck(health({ nodes: "unseen", limit, remarks, unseen: {}, targets: [] }), NOW)).toEqual([
      "never fails  spec.a: never",
      "             spec.b: never",
      "Nodes        are not visible",
      "targets      0, 1 healthy, 1 unhealthy",
      "limit        as the status had it while Nodes were visible: allows remediation, 1 place used",
    ]);
    expect(textOfMachineHealth([health({ remarks: ["spec.a: never"] })], NOW)).toContain(
      "default/h1 never fails  spec.a: never",
    );
  });

  it("ends after fifty of ten thousand targets, and counts the rest", () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => ({ ...BAD, machine: `m${index}` }));
    const lines = textOfCheck(health({ targets: [...targets, GOOD] }), NOW);
    expect(lines.filter((line) => /^m\d+ /.test(line))).toHaveLength(50);
    expect(lines.slice(-2)).toEqual([
      "and 9950 more that are not healthy; -o json shows all",
      "1 target is healthy",
    ]);
  });
});

describe("the health of one Machine as text", () => {
  it("has a row per health check, then findings, waits and the request with its state", () => {
    const request = { apiVersion: "a/v1", kind: "FooRemediation", name: "bad", since: at("11:59:30") };
    const first = health({ targets: [{ ...BAD, request }], requestState: "phase Running" });
    const second = health({ healthCheck: "default/h2", targets: [{ ...GOOD, machine: "bad" }] });
    expect(textOfMachineHealth([first, second], NOW)).toEqual([
      "HEALTH CHECK  VERDICT                   SINCE  NEXT   PLACE               WAITS FOR",
      "default/h1    unhealthy: UnhealthyNode  60s    in 4s  the Machine itself  calm",
      "default/h2    healthy                   4h",
      "default/h1 found    Condition Ready on Node is reporting status False",
      "default/h1 request  FooRemediation bad, for 30s, phase Running",
    ]);
  });

  it("breaks no line and colours nothing, whatever a provider writes", () => {
    const targets = [{ ...BAD, findings: ["a\n\u001b[31mb"] }];
    const lines = textOfMachineHealth([health({ targets })], NOW);
    expect(lines.at(-1)).toBe("default/h1 found  a [31mb");
  });
});
