import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import {
  checkPersistence,
  checkRedisUrl,
  evictionReason,
  nodesOfShards,
  refuseEviction,
  withAdvice,
} from "../../../../../../infra/queue/backends/redis/server/checks.ts";
import { connectRedis } from "../../../../../../infra/queue/backends/redis/server/connection.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { recordingLog } from "../../../../../support/recording-log.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

describe("a missing right", () => {
  it("names the next step, in the words of Redis and of Valkey", () => {
    for (const text of [
      "NOPERM this user has no permissions to run the 'del' command",
      "ERR ACL failure in script: No permissions to access a key script: 1d37, on @user_script:1.",
      "ERR The user executing the script can't access at least one of the keys mentioned",
    ])
      expect(withAdvice(text)).toBe(`${text}; give the user the rights that infra/queue/README.md lists`);
    expect(withAdvice("OOM command not allowed")).toBe("OOM command not allowed");
  });
});

describe("the check of a Redis URL (S-23)", () => {
  it("takes any Redis on loopback", () => {
    for (const host of ["127.0.0.1:6379", "localhost", "[::1]:7000", "user:secret@127.0.0.2"])
      expect(checkRedisUrl(`redis://${host}`).loopback).toBe(true);
  });

  it("wants TLS and a user beyond loopback", () => {
    expect(() => checkRedisUrl("redis://u:hunter2@redis.example:6379")).toThrow(
      "redis://u:***@redis.example:6379 is not loopback, so it needs TLS",
    );
    expect(() => checkRedisUrl("rediss://:hunter2@redis.example")).toThrow("names no user");
    expect(checkRedisUrl("rediss://capstan:hunter2@redis.example")).toEqual({
      shown: "rediss://capstan:***@redis.example",
      loopback: false,
    });
    // A name that only looks like loopback.
    expect(() => checkRedisUrl("redis://127.0.0.1.example")).toThrow("needs TLS");
  });

  it("never shows a password", () => {
    for (const url of ["http://u:hunter2@h", "redis://u:hunter2@h", "hunter2"]) {
      const error: unknown = (() => {
        try {
          return checkRedisUrl(url);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).not.toContain("hunter2");
    }
  });
});

describeWith(redisMissing())("the check of a Redis server (S-23)", () => {
  const beyond = { shown: "rediss://capstan:***@redis.example", loopback: false };
  const here = { shown: "redis://127.0.0.1", loopback: true };

  it("refuses a server beyond loopback that keeps nothing on disk, and warns about one on loopback", async () => {
    await using server = await startRedis();
    using connection = connect(server.url);
    const { log, lines } = recordingLog();
    await expect(checkPersistence(connection.redis, beyond, { log })).rejects.toThrow(
      "cannot use Redis at rediss://capstan:***@redis.example: it keeps nothing on disk; set appendonly yes, or accept with --redis-may-lose-data that",
    );
    expect(lines).toEqual([]);
    await checkPersistence(connection.redis, here, { log });
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Redis: it keeps nothing on disk; a restart may lose queue, dead letters and read model, and costs a full resync",
    ]);
  });

  it("takes a rented server, which hides its settings, where the operator accepts the risk; a warning names it", async () => {
    // Sessions of managed servers answer CONFIG with this error.
    await using server = await startRedis(['rename-command CONFIG ""']);
    using connection = connect(server.url);
    const { log, lines } = recordingLog();
    await expect(checkPersistence(connection.redis, beyond, { log })).rejects.toThrow(
      "it does not show that it writes to disk; set appendonly yes, or accept with --redis-may-lose-data",
    );
    await checkPersistence(connection.redis, beyond, { log, mayLoseData: true });
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Redis: it does not show that it writes to disk; a restart may lose queue, dead letters and read model, and costs a full resync",
    ]);
    expect(evictionReason("used_memory:1")).toContain("it does not show its maxmemory-policy");
    expect(evictionReason("used_memory:1", { mayLoseData: true })).toBeUndefined();
    // Keys that disappear one by one are repaired by nothing.
    expect(evictionReason("maxmemory_policy:allkeys-lru", { mayLoseData: true })).toContain("allkeys-lru");
  });

  it("takes a server that writes to disk, in either way", async () => {
    const { log, lines } = recordingLog();
    for (const setting of ["appendonly yes", "save 60 1"]) {
      await using server = await startRedis([setting]);
      using connection = connect(server.url);
      await checkPersistence(connection.redis, beyond, { log });
    }
    expect(lines).toEqual([]);
  });

  it("refuses a replica and a server that evicts data, with the next step", async () => {
    await using server = await startRedis();
    using connection = connect(server.url);
    const { redis } = connection;
    expect(await nodesOfShards(redis)).toBeUndefined();
    await refuseEviction(redis, {});
    // Without a limit nothing is evicted now; but a limit can be set at any time.
    for (const policy of ["allkeys-lru", "volatile-lru", "volatile-ttl"]) {
      await redis.config("SET", "maxmemory-policy", policy);
      await expect(refuseEviction(redis, {})).rejects.toThrow(
        `it may evict data (maxmemory-policy ${policy}); set maxmemory-policy noeviction`,
      );
    }
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await redis.replicaof("127.0.0.1", 1);
    await expect(connectRedis({ url: server.url, log: silentLog })).rejects.toThrow(
      `cannot use Redis at ${server.url}: it is a read-only replica; name the primary`,
    );
  });
});

function connect(url: string): Disposable & { readonly redis: Redis } {
  const redis = new Redis(url);
  return { redis, [Symbol.dispose]: () => redis.disconnect() };
}
