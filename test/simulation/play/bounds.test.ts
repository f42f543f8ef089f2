import { describe, expect, it } from "vitest";
import { FAULTS } from "../faults/known.ts";
import { bounds, type Cost } from "./bounds.ts";

const EXPECTED: Cost = { requests: 300, runs: 250, bytes: 1_200_000 };

function faultsOf(count: number, fault: string) {
  return Array.from({ length: count }, (_, index) => ({ fault, at: `somewhere #${index}` }));
}

describe("the bound of a run", () => {
  it("is a quarter more than without faults, and 30", () => {
    expect(bounds(EXPECTED, EXPECTED, [])).toMatchObject({ requests: 405, runs: 342.5 });
  });

  it("grows by what the class of each fault may cost: 70 faults of an ordinary class allow 280 requests, not 700", () => {
    expect(bounds(EXPECTED, EXPECTED, faultsOf(70, "X-01"))).toMatchObject({ requests: 685, runs: 622.5 });
    expect(bounds(EXPECTED, EXPECTED, faultsOf(1, "X-19"))).toMatchObject({ requests: 485 });
    expect(bounds(EXPECTED, EXPECTED, faultsOf(70, "X-30"))).toMatchObject({ requests: 545 });
  });

  it("allows more for a Cluster that is recreated while its Nodes cannot be reached", () => {
    const both = [...faultsOf(1, "X-19"), ...faultsOf(1, "X-41")];
    expect(bounds(EXPECTED, EXPECTED, both)).toMatchObject({ requests: 405 + 230 + 12 });
  });

  it("counts a fault of a world that is twice as large twice", () => {
    const larger: Cost = { requests: 600, runs: 500, bytes: 2_400_000 };
    expect(bounds(larger, larger, faultsOf(10, "X-01"))).toMatchObject({ requests: 860 });
  });

  it("is never more than three times as many and 10 per fault", () => {
    expect(bounds(EXPECTED, EXPECTED, faultsOf(70, "X-19"))).toMatchObject({ requests: 1_600, runs: 1_450 });
  });

  it("is finite for every class", () => {
    for (const { number } of FAULTS) {
      const { requests } = bounds(EXPECTED, EXPECTED, faultsOf(1, number));
      expect(requests).toBeGreaterThan(405);
      expect(requests).toBeLessThanOrEqual(500);
    }
  });
});
