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

  it("a seed of each workload heals without a trace", async () => {
    const play = createPlayer(prepared);
    for (const job of swarmJobs({ workloads: WORKLOADS, firstSeed: 1, seeds: WORKLOADS.length })) {
      const { violations } = await play(job);
      expect({ job, violations }).toEqual({ job, violations: [] });
    }
  });
});
