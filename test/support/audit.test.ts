import { describe, expect, it } from "vitest";
import { ACCEPTED, judgeAudit } from "./audit.ts";

const TODAY = "2026-11-23";
const report = (vulnerabilities: object) =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} });
const FOUND = report({
  a: { name: "a", severity: "critical", via: [] },
  b: { name: "b", severity: "high", via: ["a"] },
  c: { name: "c", severity: "moderate", via: [] },
});

describe("the audit of packages", () => {
  it("S-54: refuses what is high or critical", () => {
    expect(judgeAudit(report({}), TODAY)).toEqual({ type: "answered", problems: [] });
    expect(judgeAudit(FOUND, TODAY)).toEqual({ type: "answered", problems: ["a: critical", "b: high"] });
  });

  it("S-54: accepts one until its day, and says why", () => {
    const accepted = [
      { package: "a", why: "only tests load it", until: "2026-11-24" },
      { package: "b", why: "only tests load it", until: TODAY },
    ];
    expect(judgeAudit(FOUND, TODAY, accepted)).toEqual({ type: "answered", problems: ["b: high"] });
    for (const { why, until } of ACCEPTED)
      expect([why.length > 10, /^20\d\d-\d\d-\d\d$/.test(until)]).toEqual([true, true]);
  });

  it("S-54: does not take a registry that refuses to answer for a clean one", () => {
    const refusal = JSON.stringify({ message: "405 Method Not Allowed", error: { summary: "", detail: "" } });
    expect(judgeAudit(refusal, TODAY)).toEqual({ type: "unanswered", why: "405 Method Not Allowed" });
    for (const odd of ["null", "[]", "{}", '"clean"', '{"vulnerabilities":null}'])
      expect(() => judgeAudit(odd, TODAY)).toThrow("npm audit printed");
    expect(() => judgeAudit("", TODAY)).toThrow();
  });
});
