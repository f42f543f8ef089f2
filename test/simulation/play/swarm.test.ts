import { beforeAll, describe, expect, it } from "vitest";
import { WORKLOADS } from "../workloads/known.ts";
import { createPlayer, type Job, type Played } from "./player.ts";
import { prepare } from "./prepared.ts";
import { swarmJobs } from "./swarm.ts";

const REPEATED = "W-02";

let play: (job: Job) => Promise<Played>;
beforeAll(async () => {
  play = createPlayer(await prepare());
});

/** One workload of so many, and the first of them that is played; `npm run simulate -- swarm` plays them all. */
const PLAYED_OF = 3;
/** Not the row of the three clusters, W-12, which takes as long as five others. */
const FIRST = 1;

// The workloads take turns: so many seeds are one of each.
const JOBS = swarmJobs({ workloads: WORKLOADS, firstSeed: 1, seeds: WORKLOADS.length }).filter(
  ({ workload }, at) => workload === REPEATED || at % PLAYED_OF === FIRST,
);

describe("many random faults", () => {
  for (const job of JOBS) {
    const isRepeated = job.workload === REPEATED;
    it(`${job.workload}: seed ${job.seed} heals without a trace${isRepeated ? ", the same every time" : ""}`, async () => {
      const { violations, hash, struck } = await play(job);
      expect(violations).toEqual([]);
      if (!isRepeated) return;
      expect(struck.length).toBeGreaterThan(0);
      expect((await play(job)).hash).toBe(hash);
    });
  }
});
