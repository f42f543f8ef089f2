import { describe, expect, it } from "vitest";
import { nameOf, ORACLES } from "../oracles/known.ts";
import { createCoverage } from "./coverage.ts";
import type { Played } from "./player.ts";

const UNNEEDED = "no Machine is unhealthy";
const REMEDIATION = ORACLES.filter(({ needs }) => needs?.why === UNNEEDED).map(nameOf);

/** One seed in which these oracles had nothing to check. */
function playedWithout(names: readonly string[]): Played {
  const evaluations = new Map(
    ORACLES.map(nameOf)
      .filter((name) => !names.includes(name))
      .map((name) => [name, 1]),
  );
  return {
    job: { workload: "W-13", seed: 1 },
    hash: "",
    simulatedMs: 0,
    struck: [],
    violations: [],
    evaluations,
  };
}

describe("oracles that were never evaluated", () => {
  it("are named where they could have been", () => {
    const coverage = createCoverage({ workloads: ["W-01", "W-13"], faults: [] });
    coverage.note(playedWithout(REMEDIATION));
    expect(coverage.gaps.never).toEqual(REMEDIATION);
    expect(coverage.lines()).toContain(`never evaluated: ${REMEDIATION[0]}`);
  });

  it("are excused, with the reason, where what they need was not chosen", () => {
    const coverage = createCoverage({ workloads: ["W-01"], faults: [] });
    coverage.note(playedWithout(REMEDIATION));
    expect(coverage.gaps.never).toEqual([]);
    expect(Object.keys(coverage.gaps.excused)).toEqual(REMEDIATION);
    expect(coverage.lines()).toContain(`not evaluated: ${REMEDIATION[0]} (${UNNEEDED})`);
  });

  it("are counted by oracle: one that is evaluated says nothing about another one of its row", () => {
    const [first = ""] = ORACLES.filter(({ number }) => number === "F-04").map(nameOf);
    const coverage = createCoverage({ workloads: ["W-01"], faults: [] });
    coverage.note(playedWithout([first]));
    expect(coverage.gaps.never).toEqual([first]);
    expect(coverage.evaluated["F-04"]).toBe(1);
  });
});
