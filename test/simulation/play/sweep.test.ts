import { beforeAll, describe, expect, it } from "vitest";
import { FAULTS } from "../faults/known.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { NO_FAULTS } from "./plan.ts";
import { createPlayer, createReferences, type Job, type Played, type ReferenceOf } from "./player.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { runOnce } from "./run.ts";
import { SWEPT, sweepJobs } from "./sweep.ts";

let prepared: Prepared;
let referenceOf: ReferenceOf;
let play: (job: Job) => Promise<Played>;
beforeAll(async () => {
  prepared = await prepare();
  referenceOf = createReferences(prepared);
  play = createPlayer(prepared, referenceOf);
});

describe("a workload, and single faults in it", () => {
  for (const [at, workload] of WORKLOADS.entries()) {
    // Here, because it shares the run without faults.
    it(`${workload.number} ${workload.title}: ends, rests, and ends the same in any order of events (F-01, F-02)`, async () => {
      const reference = await referenceOf(workload.number, 1);
      expect(reference.violations).toEqual([]);
      const result = await runOnce({ seed: 2, workload, prepared, plan: NO_FAULTS, reference });
      expect(result.violations).toEqual([]);
      expect(result.hash).not.toBe(reference.hash);
    });

    it(`${workload.number} gets over one of its sites`, async () => {
      const jobs = await sweepJobs({ workload, referenceOf, seed: 1 });
      // Each workload another part of its way and of the classes; `npm run simulate -- sweep` plays every site.
      const job = jobs[Math.floor((jobs.length * at) / WORKLOADS.length)];
      expect(job).toBeDefined();
      if (job === undefined) return;
      const { struck, violations } = await play(job);
      expect({ job, struck, violations }).toEqual({ job, struck: [job.planned], violations: [] });
    });
  }

  it("every class changes what happens, and heals", async () => {
    // W-05 has sites of all classes but one: only a pool that is scaled down leaves a Node behind.
    const jobs = await sweepJobs({ workload: workloadOf("W-05"), referenceOf, seed: 1, faults: NUMBERS });
    const struck = new Set<string>();
    for (const job of jobs) {
      const fault = job.planned?.fault ?? "";
      if (struck.has(fault)) continue;
      const { isEffective, violations } = await play(job);
      expect({ job, violations }).toEqual({ job, violations: [] });
      if (isEffective) struck.add(fault);
    }
    expect([...struck]).toEqual(NUMBERS);
  });

  it("a refused eviction changes what happens, and heals", async () => {
    const jobs = await sweepJobs({
      workload: workloadOf("W-23"),
      referenceOf,
      seed: 1,
      faults: [NEEDS_PODS],
    });
    const [job] = jobs;
    if (job === undefined) throw new Error("W-23 evicts no Pod");
    expect(await play(job)).toMatchObject({ isEffective: true, violations: [] });
  });
});

/** The leading relay stands still: only W-20 has one. */
const NEEDS_LEADER = "X-47";
/** Evictions: only W-23 has Pods. */
const NEEDS_PODS = "X-48";
/** Classes that the sweep leaves to the swarm. */
const NUMBERS = FAULTS.map(({ number }) => number).filter(
  (number) => !SWEPT.includes(number) && number !== NEEDS_LEADER && number !== NEEDS_PODS,
);
