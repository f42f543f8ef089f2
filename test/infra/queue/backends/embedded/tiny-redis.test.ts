import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TinyRedis } from "../../../../../infra/queue/backends/embedded/tiny-redis.ts";
import { redisMissing, startRedis } from "../../../../support/processes/redis-server.ts";
import { playRandomly } from "../../../../support/random-play.ts";
import { describeWith } from "../../../../support/requires.ts";

const MEMBER = fc.constantFrom("a", "b", "c|ç", "d𝄞");
const SCORE = fc.constantFrom(0, 1, 1.5, 2 ** 46);
const LIMIT = fc.constantFrom("-inf", "+inf", "0", "(1", "1.5", String(2 ** 46));
const INDEX = fc.integer({ min: -3, max: 3 });

const command = (name: string, key: string, ...args: readonly fc.Arbitrary<string | number>[]) =>
  fc.tuple(fc.constant(name), fc.constant(key), ...args);

/** Commands with the types of value that the scripts have. */
const COMMANDS = fc.oneof(
  command("GET", "text"),
  command("SET", "text", MEMBER),
  command("SET", "text", MEMBER, fc.constant("PX"), fc.constant(100_000), fc.constant("NX")),
  command("HSET", "hash", MEMBER, SCORE),
  command("HGET", "hash", MEMBER),
  command("HMGET", "hash", MEMBER, MEMBER),
  command("HDEL", "hash", MEMBER, MEMBER),
  command("HLEN", "hash"),
  command("HEXISTS", "hash", MEMBER),
  command("HINCRBY", "counts", MEMBER, INDEX),
  command("SADD", "set", MEMBER),
  command("SREM", "set", MEMBER),
  command("ZADD", "sorted", SCORE, MEMBER),
  command("ZREM", "sorted", MEMBER),
  command("ZCARD", "sorted"),
  command("ZSCORE", "sorted", MEMBER),
  command("ZCOUNT", "sorted", LIMIT, LIMIT),
  command("ZPOPMIN", "sorted"),
  command("ZRANGE", "sorted", INDEX, INDEX),
  command("ZRANGE", "sorted", INDEX, INDEX, fc.constant("WITHSCORES")),
  command("ZRANGEBYSCORE", "sorted", LIMIT, LIMIT),
  command("ZRANGEBYSCORE", "sorted", LIMIT, LIMIT, fc.constant("WITHSCORES")),
  command("ZRANGEBYSCORE", "sorted", LIMIT, LIMIT, fc.constant("LIMIT"), fc.constant(1), fc.constant(2)),
  command("EXISTS", "hash"),
  command("DEL", "hash", fc.constantFrom("text", "sorted")),
);

/** This connection has scores as numbers, in pairs with their members. */
function textsIn(answer: unknown): readonly string[] {
  return [answer as string].flat(2).map(String);
}

describeWith(redisMissing())("the commands of Redis in this process", () => {
  let opened: AsyncDisposableStack;
  let redis: Redis;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
  });
  afterAll(() => opened.disposeAsync());

  it("answer as those of Redis do", () =>
    playRandomly(
      {
        name: "the commands of Redis in this process, sequences",
        values: fc.array(COMMANDS, { maxLength: 40, size: "max" }),
        atOnce: 1,
        atLeast: 20,
        budgetMs: 2_000,
      },
      async ([sequence = []]) => {
        await redis.flushall();
        const tiny = new TinyRedis({ now: Date.now });
        for (const [name, ...args] of sequence) {
          const answer = textsIn(tiny.call(String(name), ...args));
          expect({ name, args, answer }).toEqual({
            ...{ name, args },
            answer: textsIn(await redis.call(String(name), args)),
          });
        }
        // In any order.
        const members = textsIn(tiny.call("SMEMBERS", "set"));
        expect(members.toSorted()).toEqual((await redis.smembers("set")).toSorted());
        expect(Object.fromEntries(tiny.hash("hash"))).toEqual(await redis.hgetall("hash"));
      },
    ));

  it("forget a text when its time is over, and refuse what no script uses", () => {
    let now = 1_000;
    const tiny = new TinyRedis({ now: () => now });
    tiny.call("SET", "floor", "x", "PX", 50);
    now = 1_049;
    expect(tiny.call("GET", "floor")).toBe("x");
    now = 1_050;
    expect(tiny.call("GET", "floor")).toBeNull();
    expect(() => tiny.call("FLUSHALL")).toThrow("no command FLUSHALL");
  });
});
