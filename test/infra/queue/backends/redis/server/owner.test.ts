import { expect, it } from "vitest";
import {
  lookForOwner,
  type OwnerCluster,
  tieRedis,
} from "../../../../../../infra/queue/backends/redis/server/owner.ts";
import { RIGHTS } from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const WITHIN = { withinMs: 20_000, stepMs: 50 };
const ONE = { uid: "uid-one", server: "https://one.example.com:6443" };
const OTHER = { uid: "uid-other", server: "https://other.example.com:6443" };

describeWith(redisMissing())("a Redis and its management cluster", () => {
  it("Q-43: serves the first one, also at another address, and refuses others by name", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using _first = await tieRedis(target, ONE);
    await using _moved = await tieRedis(target, { ...ONE, server: "https://moved.example.com" });
    const port = redis.url.slice("redis://".length);
    await expect(tieRedis(target, OTHER)).rejects.toThrow(
      `Redis at redis://${port} belongs to another management cluster: https://moved.example.com, where Namespace kube-system has uid uid-one; ` +
        "that of https://other.example.com:6443 has uid uid-other. Name a Redis of its own with --queue; or empty this one (redis-cli FLUSHDB) if the other cluster is gone",
    );
    await using _again = await tieRedis(target, ONE);
  });

  it("Q-43: gets its owner again when it was emptied, unless another cluster was faster", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using tie = await tieRedis(target, ONE);
    await using look = await lookForOwner(target, OTHER);
    await redis.restart();
    await eventually(async () => expect(await tie.renew()).toBeUndefined(), WITHIN);
    await eventually(async () => expect(await look.foreignness()).toContain("uid-one"), WITHIN);
    await redis.restart();
    await using _other = await tieRedis(target, OTHER);
    await eventually(
      async () => expect(await tie.renew()).toContain("belongs to another management cluster: https://other"),
      WITHIN,
    );
    await redis.kill();
    await expect(tie.renew()).rejects.toThrow();
  });

  it("decides for one of two that come at the same time", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using ties = new AsyncDisposableStack();
    const tie = async (cluster: OwnerCluster) => ties.use(await tieRedis(target, cluster));
    const ends = await Promise.allSettled([ONE, OTHER, ONE, OTHER].map(tie));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(ends[0]?.status).toBe(ends[2]?.status);
  });

  it("shows its owner to those who only look, and why another cluster must not see it", async () => {
    const observer = `user observer on >of-a-test resetchannels ${RIGHTS.observer}`;
    await using redis = await startRedis([observer]);
    const url = redis.url.replace("redis://", "redis://observer:of-a-test@");
    await using look = await lookForOwner({ url, log: silentLog }, OTHER);
    expect(await look.foreignness()).toBeUndefined();
    await using _tie = await tieRedis({ url: redis.url, log: silentLog }, ONE);
    const port = redis.url.slice("redis://".length);
    expect(await look.foreignness()).toBe(
      `Redis at redis://observer:***@${port} belongs to another management cluster: https://one.example.com:6443, where Namespace kube-system has uid uid-one; ` +
        "that of https://other.example.com:6443 has uid uid-other",
    );
    await using own = await lookForOwner({ url, log: silentLog }, ONE);
    expect(await own.foreignness()).toBeUndefined();
    await redis.kill();
    await expect(own.foreignness()).rejects.toThrow();
  });

  it("is free when a cluster that was there for a while takes its note back, and not when another one does", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using tie = await tieRedis(target, ONE);
    await tie.untie();
    await using _other = await tieRedis(target, OTHER);
    await tie.untie();
    await expect(tieRedis(target, ONE)).rejects.toThrow("belongs to another management cluster");
  });
});
