import { expect, it } from "vitest";
import { workloadOf } from "../workloads/known.ts";
import { prepare } from "./prepared.ts";
import { readRegressions } from "./regression.ts";
import { runOnce } from "./run.ts";
import { seedOptions } from "./swarm.ts";

it("what has failed once does not fail again", async () => {
  const prepared = await prepare();
  for (const { file, workload: number, seed, faults, faultyMs } of await readRegressions()) {
    const options = await seedOptions(seed, workloadOf(number), prepared);
    const plan = { type: "named", faults } as const;
    const { violations } = await runOnce({ ...options, plan, faultyMs });
    expect({ file, violations }).toEqual({ file, violations: [] });
  }
});
