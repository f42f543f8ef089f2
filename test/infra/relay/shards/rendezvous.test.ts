import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shardOf } from "../../../../infra/relay/shards/rendezvous.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `capstan-relay-shard-${index}`);
const uids = Array.from(
  { length: 2_000 },
  (_, index) => `6f1d2c1e-0000-4000-8000-${String(index).padStart(12, "0")}`,
);

describe("the shard of a Cluster", () => {
  it("is the same for every relay, in whatever order it knows the shards", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.shuffledSubarray(names(32), { minLength: 1 }), (uid, shards) => {
        expect(shardOf(uid, shards)).toBe(shardOf(uid, shards.toSorted()));
      }),
    );
  });

  it("changes only for the Clusters of a shard that goes", () => {
    const all = names(6);
    const left = all.filter((name) => name !== "capstan-relay-shard-2");
    for (const uid of uids) {
      const before = shardOf(uid, all);
      if (before === "capstan-relay-shard-2") expect(left).toContain(shardOf(uid, left));
      else expect(shardOf(uid, left)).toBe(before);
    }
  });

  it("is each one about as often as any other", () => {
    const counts = Object.groupBy(uids, (uid) => shardOf(uid, names(6)) ?? "");
    for (const name of names(6)) {
      expect(counts[name]?.length).toBeGreaterThan(250);
      expect(counts[name]?.length).toBeLessThan(420);
    }
  });

  it("is unknown while no shard is live", () => {
    expect(shardOf("uid", [])).toBeUndefined();
  });
});
