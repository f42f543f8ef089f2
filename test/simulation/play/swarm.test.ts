import { beforeAll, describe, expect, it } from "vitest";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { createPlayer } from "./player.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { runSeed, seedOptions, swarmJobs } from "./swarm.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("many random faults", () => {
  it("a seed gives the same trace every time", async () => {
    const options = await seedOptions(7, workloadOf("W-02"), prepared);
    const runs = [await runSeed(options), await runSeed(options), await runSeed(options)];
    expect(new Set(runs.map(({ hash }) => hash)).size).toBe(1);
    expect(runs[0]?.struck.length).toBeGreaterThan(0);
  });

  // The workloads take turns: so many seeds are one of each.
  for (const job of swarmJobs({ workloads: WORKLOADS, firstSeed: 1, seeds: WORKLOADS.length }))
    it(`${job.workload}: seed ${job.seed} heals without a trace`, async () => {
      const { violations } = await createPlayer(prepared)(job);
      expect(violations).toEqual([]);
    });
});
