import { beforeAll, describe, expect, it } from "vitest";
import { FAULTS } from "./faults/known.ts";
import { NO_FAULTS } from "./plan.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { readRegressions } from "./regression.ts";
import { type RunResult, runOnce } from "./run.ts";
import { runSeed, seedOptions, swarm } from "./swarm.ts";
import { SWEPT, sweep } from "./sweep.ts";
import { WORKLOADS, workloadOf } from "./workloads/known.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

const summaryOf = ({ violations, struck }: RunResult) => ({ violations, struck });

describe("a workload without faults", () => {
  for (const workload of WORKLOADS) {
    it(`${workload.number} ${workload.title}: ends, rests, and ends the same in any order of events (F-01, F-02)`, async () => {
      const reference = await runOnce({ seed: 1, workload, prepared, plan: NO_FAULTS });
      expect(reference.violations).toEqual([]);
      for (const seed of [2, 3]) {
        const result = await runOnce({ seed, workload, prepared, plan: NO_FAULTS, reference });
        expect(result.violations).toEqual([]);
        expect(result.hash).not.toBe(reference.hash);
      }
    });
  }
});

describe("a seed", () => {
  it("6.2: gives the same trace every time", async () => {
    const workload = workloadOf("W-02");
    const options = await seedOptions(7, workload, prepared);
    const runs = [await runSeed(options), await runSeed(options), await runSeed(options)];
    expect(new Set(runs.map(({ hash }) => hash)).size).toBe(1);
    expect(runs[0]?.struck.length).toBeGreaterThan(0);
  });
});

describe("6.4: single faults", () => {
  for (const workload of WORKLOADS) {
    it(`${workload.number} gets over every 149th site of every class`, async () => {
      for await (const { planned, result } of sweep({ workload, prepared, seed: 1, every: 149 })) {
        expect({ planned, ...summaryOf(result) }).toEqual({ planned, violations: [], struck: [planned] });
      }
    });
  }
});

describe("3: what the sweep leaves to the swarm", () => {
  it("every other class changes what happens, and heals", async () => {
    const numbers = FAULTS.map(({ number }) => number);
    // Open: F-03 may tell of a wake-up that two relays have lost between them, see README.
    const others = numbers.filter((number) => !SWEPT.includes(number) && number !== "X-07");
    const everyFirst = { workload: workloadOf("W-05"), prepared, seed: 1, faults: others, every: 10_000 };
    const struck = new Set<string>();
    for await (const { planned, isEffective, result } of sweep(everyFirst)) {
      struck.add(planned.fault);
      expect({ planned, isEffective, violations: result.violations }).toEqual({
        planned,
        isEffective: true,
        violations: [],
      });
    }
    expect([...struck]).toEqual(others);
  });
});

describe("6.4: many random faults", () => {
  it("12 seeds heal without a trace", async () => {
    for await (const { seed, workload, result } of swarm({
      workloads: WORKLOADS,
      prepared,
      firstSeed: 1,
      seeds: 12,
    })) {
      expect({ seed, workload: workload.number, violations: result.violations }).toEqual({
        seed,
        workload: workload.number,
        violations: [],
      });
    }
  });
});

describe("what has failed once", () => {
  it("does not fail again", async () => {
    for (const { file, workload: number, seed, faults, faultyMs } of await readRegressions()) {
      const options = await seedOptions(seed, workloadOf(number), prepared);
      const plan = { type: "named", faults } as const;
      const { violations } = await runOnce({ ...options, plan, faultyMs });
      expect({ file, violations }).toEqual({ file, violations: [] });
    }
  });
});
