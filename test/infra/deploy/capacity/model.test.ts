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
const scale = { rows: [{ workers: 1, cpuMsPerRun: 1 }], efficiency: 0.9, redis: { cores: 0.5 } };
const amounts = (clusters: number, measured: Parameters<typeof needsOf>[1]) =>
  needsOf({ clusters, nodesPerCluster: 20 }, measured).map(({ amount }) => amount);

describe("the capacity model", () => {
  it("follows from the figures of the benches", () => {
    expect(amounts(10_000, { shard, scale })).toEqual([
      "8",
      "1.00 core",
      "0.06 core",
      "198 MiB",
      "0.20 core",
      "0.23 core",
      "33 a second",
    ]);
  });

  it("has two relays at least, and says what no bench has measured", () => {
    expect(amounts(10, { shard })[0]).toBe("2");
    expect(amounts(10, { shard })[5]).toBeUndefined();
    expect(needsOf({ clusters: 10, nodesPerCluster: 1 }, {}).map(({ from }) => from)).toContain(
      "? ms for a Cluster and minute",
    );
  });

  it("stands on its page as the newest results give it", async () => {
    expect(await generateReadme({ check: true })).not.toContain("infra/deploy/capacity/README.md");
  });
});
