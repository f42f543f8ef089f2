import { describe, expect, it } from "vitest";
import { generateReadme } from "../../../../infra/cli/readme.ts";
import { needsOf } from "../../../../infra/deploy/capacity/model.ts";

const shard = {
  clusters: 500,
  idleMiB: 100,
  mibPerConnection: 0.5,
  restCpuMsPerClusterMinute: 6,
  heartbeatMicros: 90,
  redisCallsPerClusterSecond: 0.5,
  redisRestCpuPercent: 1,
  redisBytesPerNode: 800,
};
const scale = { cpuMsPerRun: 1, efficiency: 0.9, redisCores: 0.5 };
const amounts = (clusters: number) =>
  needsOf({ clusters, nodesPerCluster: 20 }, { shard, scale }).map(({ amount }) => amount);

describe("the capacity model", () => {
  it("follows from the figures of the benches", () => {
    expect(amounts(10_000)).toEqual([
      "8",
      "1.00 core",
      "0.06 core",
      "198 MiB",
      "0.20 core",
      "0.23 core",
      "33 a second",
    ]);
  });

  it("has two relays at least", () => {
    expect(amounts(10)[0]).toBe("2");
  });

  it("stands on its page as the benches give it", async () => {
    expect(await generateReadme({ check: true })).not.toContain("infra/deploy/capacity/README.md");
  });
});
