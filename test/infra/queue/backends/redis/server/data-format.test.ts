import { expect, it } from "vitest";
import {
  connectRedis,
  endConnection,
} from "../../../../../../infra/queue/backends/redis/server/connection.ts";
import { problemOfFormat } from "../../../../../../infra/queue/backends/redis/server/data-format.ts";
import { tieRedis } from "../../../../../../infra/queue/backends/redis/server/owner.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const CLUSTER = { uid: "uid-one", server: "https://one.example.com:6443" };
/** Three releases in a row: format 2 is read by the second, and written by the third. */
const [FIRST, SECOND, THIRD] = [
  { writes: 1, oldest: 1, newest: 1 },
  { writes: 1, oldest: 1, newest: 2 },
  { writes: 2, oldest: 2, newest: 2 },
];

describeWith(redisMissing())("the format of the data in a Redis", () => {
  it("Q-44: neighbours run beside each other in either order; what lies there is read on the way back", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using first = await tieRedis({ ...target, formats: FIRST }, CLUSTER);
    await using second = await tieRedis({ ...target, formats: SECOND }, CLUSTER);
    await using _back = await tieRedis({ ...target, formats: FIRST }, CLUSTER);
    expect([await first.renew(), await second.renew()]).toEqual([undefined, undefined]);
  });

  it("Q-44: refuses at the start a version whose data a running one could not read, until that is gone", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using first = await tieRedis({ ...target, formats: FIRST }, CLUSTER);
    const next = { ...THIRD, oldest: 1 };
    await expect(tieRedis({ ...target, formats: next }, CLUSTER)).rejects.toThrow(
      /Capstan \S+ runs on it, which reads data up to format 1, and this version writes format 2; stop those processes first/,
    );
    expect(await first.renew()).toBeUndefined();
    await using client = await connected(redis.url);
    await client.redis.del("{cap:cluster}:readers");
    await using later = await tieRedis({ ...target, formats: next }, CLUSTER);
    expect(await later.renew()).toBeUndefined();
    expect(await first.renew()).toContain("it holds data of the newer format 2");
  });

  it("Q-44: refuses a downgrade past what is stored, whichever process comes, until a version that reads it", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using _third = await tieRedis({ ...target, formats: THIRD }, CLUSTER);
    const remedy =
      "it holds data of the newer format 2, and this version of Capstan reads format 1; run the version of Capstan that wrote them, or stop all processes and empty this Redis";
    await expect(tieRedis({ ...target, formats: FIRST }, CLUSTER)).rejects.toThrow(remedy);
    await expect(connectRedis(target)).rejects.toThrow(remedy);
    await using _second = await tieRedis({ ...target, formats: SECOND }, CLUSTER);
  });

  it("Q-44: an emptied Redis has its format again with its owner; one without a number holds format 1", async () => {
    await using redis = await startRedis();
    const target = { url: redis.url, log: silentLog };
    await using third = await tieRedis({ ...target, formats: THIRD }, undefined);
    await using client = await connected(redis.url, THIRD);
    await client.redis.flushdb();
    expect(await third.renew()).toBeUndefined();
    expect(await client.redis.hgetall("{cap:cluster}:owner")).toEqual({ format: "2" });
    await client.redis.flushdb();
    await client.redis.hset("{cap:cluster}:owner", "uid", CLUSTER.uid);
    expect(await third.renew()).toBe(`cannot use Redis at ${redis.url}: ${problemOfFormat(1, THIRD)}`);
    expect(problemOfFormat(1, THIRD)).toContain(
      "data of the older format 1, and this version of Capstan reads format 2; let a version between run first",
    );
  });

  it("Q-44: two that do not fit and start at once: one of them runs", async () => {
    await using redis = await startRedis();
    await using ties = new AsyncDisposableStack();
    const ends = await Promise.allSettled(
      [FIRST, { ...THIRD, oldest: 1 }].map(async (formats) =>
        ties.use(await tieRedis({ url: redis.url, log: silentLog, formats }, CLUSTER)),
      ),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

async function connected(url: string, formats = FIRST) {
  const redis = await connectRedis({ url, log: silentLog, formats });
  return { redis, [Symbol.asyncDispose]: () => endConnection(redis) };
}
