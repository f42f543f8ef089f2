import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import { callsWorkloads, holdable, limitedWithoutNeed } from "./functions/isolation.ts";

const functions = await loadFunctions();

describe("one workload server that does not answer", () => {
  it("holds at most a quarter of the runs of each function that calls it", () => {
    expect(functions.filter(callsWorkloads).map(({ spec }) => spec.name)).toContain("machinepool-nodes");
    expect(holdable(functions)).toEqual([]);
  });

  it("holds none of the others, so they run the keys of one Cluster side by side", () => {
    expect(limitedWithoutNeed(functions)).toEqual([]);
  });
});
