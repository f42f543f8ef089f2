import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import { Node } from "../../shared/api/core.ts";
import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";

const functions = await loadFunctions();

/** Nodes are what Capstan writes to, or reads live, on workload servers. */
function callsWorkloads({ spec }: AnyFunction): boolean {
  const { ownsOn = [], calls = [], readsLive = [] } = spec;
  const kinds = [...ownsOn.map(({ kind }) => kind), ...calls.map(({ kind }) => kind), ...readsLive];
  return kinds.some((kind) => !isContractKind(kind) && kind.kind === Node.kind && kind.group === Node.group);
}

describe("F-16: one workload server that does not answer", () => {
  it("F-16: holds at most a quarter of the runs of each function that calls it", () => {
    const calling = functions.filter(callsWorkloads);
    expect(calling.map(({ spec }) => spec.name)).toContain("machinepool-nodes");
    for (const { spec } of calling) {
      const { concurrency, maxRunningPerTenant } = { ...DEFAULT_QUEUE, ...spec.queue };
      expect
        .soft(maxRunningPerTenant, spec.name)
        .toBeLessThanOrEqual(Math.max(1, Math.floor(concurrency / 4)));
    }
  });

  it("F-16: holds none of the others, so they run the keys of one Cluster side by side", () => {
    const limited = functions.filter(({ spec }) => spec.queue?.maxRunningPerTenant !== undefined);
    expect(limited.filter((each) => !callsWorkloads(each)).map(({ spec }) => spec.name)).toEqual([]);
  });
});
