import { beforeAll, describe, expect, it } from "vitest";
import { WORKLOADS } from "../workloads/known.ts";
import { createPlayer, type Job, type Played } from "./player.ts";
import { prepare } from "./prepared.ts";
import { swarmJobs } from "./swarm.ts";

let play: (job: Job) => Promise<Played>;
beforeAll(async () => {
  play = createPlayer(await prepare());
});

// The workloads take turns: so many seeds are one of each.
const JOBS = swarmJobs({ workloads: WORKLOADS, firstSeed: 1, seeds: WORKLOADS.length });

describe("many random faults", () => {
  for (const job of JOBS) {
    const isRepeated = job.workload === "W-02";
    it(`${job.workload}: seed ${job.seed} heals without a trace${isRepeated ? ", the same every time" : ""}`, async () => {
      const { violations, hash, struck } = await play(job);
      expect(violations).toEqual([]);
      if (!isRepeated) return;
      expect(struck.length).toBeGreaterThan(0);
      expect((await play(job)).hash).toBe(hash);
    });
  }
});
