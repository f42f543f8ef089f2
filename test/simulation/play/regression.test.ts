import { beforeAll, describe, expect, it } from "vitest";
import { workloadOf } from "../workloads/known.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { readRegressions } from "./regression.ts";
import { runOnce } from "./run.ts";
import { seedOptions } from "./swarm.ts";

const known = await readRegressions();
let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("what has failed once does not fail again", () => {
  for (const { file, workload, seed, faults, faultyMs } of known)
    it(file, async () => {
      const options = await seedOptions(seed, workloadOf(workload), prepared);
      const plan = { type: "named", faults } as const;
      const { violations } = await runOnce({ ...options, plan, faultyMs });
      expect(violations).toEqual([]);
    });
});
