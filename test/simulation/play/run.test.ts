import { beforeAll, describe, expect, it } from "vitest";
import { WORKLOADS } from "../workloads/known.ts";
import { NO_FAULTS } from "./plan.ts";
import { type Prepared, prepare } from "./prepared.ts";
import { runOnce } from "./run.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

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
