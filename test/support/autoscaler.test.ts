import { describe, expect, it } from "vitest";
import { Autoscaler, type ScaledObject } from "./autoscaler.ts";

const SCALED: ScaledObject = {
  spec: {
    minReplicaCount: 1,
    maxReplicaCount: 20,
    fallback: { failureThreshold: 3, replicas: 1, behavior: "currentReplicasIfHigher" },
    advanced: {
      horizontalPodAutoscalerConfig: {
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 120,
            policies: [{ type: "Percent", value: 50, periodSeconds: 60 }],
          },
        },
      },
    },
    triggers: [
      {
        type: "metrics-api",
        metricType: "AverageValue",
        metadata: { url: "https://relay/scale?group=core", valueLocation: "workers", targetValue: "1" },
      },
    ],
  },
};

/** Looks every 15 s at one value after the other, `undefined` = an error; the replicas after each look. */
async function replicasAfter(
  values: readonly (number | undefined)[],
  first = 1,
  scaledObject = SCALED,
): Promise<readonly number[]> {
  let now = 0;
  let value: number | undefined;
  const ask = async () => ({
    status: value === undefined ? 503 : 200,
    body: JSON.stringify({ workers: value }),
  });
  const autoscaler = new Autoscaler({ scaledObject, ask, nowSeconds: () => now });
  const replicas: number[] = [];
  for (const each of values) {
    now += 15;
    value = each;
    replicas.push(await autoscaler.sync(replicas.at(-1) ?? first));
  }
  return replicas;
}

describe("the autoscaler of tests", () => {
  it("rounds up, and does nothing within a tenth of the replicas", async () => {
    expect(await replicasAfter([1.1, 1.11, 2.2])).toEqual([1, 2, 2]);
  });

  it("adds four or doubles in 15 s, up to the maximum", async () => {
    expect(await replicasAfter([100, 100, 100, 100])).toEqual([5, 10, 20, 20]);
  });

  it("goes down when everything within 120 s was lower, by half a minute", async () => {
    const low = Array.from({ length: 20 }, () => 0);
    expect(await replicasAfter([8, ...low], 8)).toEqual([
      ...Array.from({ length: 8 }, () => 8),
      ...[4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1],
    ]);
  });

  it("starts the first one at any value above 0, and ends the last one after 300 s of 0", async () => {
    const toZero = { spec: { ...SCALED.spec, minReplicaCount: 0 } };
    const rests = Array.from({ length: 20 }, () => 0);
    expect(await replicasAfter([0, 0.0004, ...rests, 0.0004], 0, toZero)).toEqual([
      ...[0, 1],
      ...rests.slice(1).map(() => 1),
      ...[0, 1],
    ]);
  });

  it("never takes an error for 0", async () => {
    const errors = Array.from({ length: 20 }, () => undefined);
    expect(await replicasAfter([5, ...errors])).toEqual(Array.from({ length: 21 }, () => 5));
  });
});
