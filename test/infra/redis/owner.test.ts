import { expect, it } from "vitest";
import { lookForOwner, tieRedis } from "../../../infra/redis/owner.ts";
import { RIGHTS } from "../../../infra/redis/users.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

const ONE = { uid: "uid-one", server: "https://one.example.com:6443" };
const OTHER = { uid: "uid-other", server: "https://other.example.com:6443" };

describeWith(redisMissing())("a Redis and its management cluster", () => {
  it("serves the first one, also at another address, and refuses others by name", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await tieRedis(target, ONE);
    await tieRedis(target, { ...ONE, server: "https://moved.example.com" });
    const port = redis.url.slice("redis://".length);
    await expect(tieRedis(target, OTHER)).rejects.toThrow(
      `Redis at redis://${port} belongs to another management cluster: https://moved.example.com, where Namespace kube-system has uid uid-one; ` +
        "that of https://other.example.com:6443 has uid uid-other. Name a Redis of its own with --queue; or empty this one (redis-cli FLUSHDB) if the other cluster is gone",
    );
    await tieRedis(target, ONE);
  });

  it("decides for one of two that come at the same time", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    const ends = await Promise.allSettled([ONE, OTHER, ONE, OTHER].map((each) => tieRedis(target, each)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(ends[0]?.status).toBe(ends[2]?.status);
  });

  it("W-506: shows its owner to those who only look, and why another cluster must not see it", async () => {
    const observer = `user observer on >of-a-test resetchannels ${RIGHTS.observer}`;
    await using redis = await startRedis([observer]);
    const url = redis.url.replace("redis://", "redis://observer:of-a-test@");
    await using look = await lookForOwner({ url, log: silentLog }, OTHER);
    expect(await look.foreignness()).toBeUndefined();
    await tieRedis({ url: redis.url, log: silentLog }, ONE);
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
    const untie = await tieRedis(target, ONE);
    await untie();
    await tieRedis(target, OTHER);
    await untie();
    await expect(tieRedis(target, ONE)).rejects.toThrow("belongs to another management cluster");
  });
});
