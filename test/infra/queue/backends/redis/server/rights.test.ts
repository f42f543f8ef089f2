import { readFile } from "node:fs/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { createSqsQueue } from "../../../../../../infra/queue/backends/sqs/sqs.ts";
import { deadLettersSuite } from "../../../../../suites/dead-letters.ts";
import { queueSuite } from "../../../../../suites/queue.ts";
import { storeSuite } from "../../../../../suites/store.ts";
import type { RedisServer } from "../../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { type SqsServer, sqsTarget, startSqs } from "../../../../../support/processes/sqs.ts";
import { twoProcesses } from "../../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";
import { twoDeadLetters } from "../../../../../support/two-dead-letters.ts";

const PASSWORD = "of-a-test";
const DOCUMENTED = new URL("../../../../../../infra/queue/README.md", import.meta.url);

/** The user of the documentation, as a line of redis.conf. */
async function documentedUser(): Promise<string> {
  const [line] = /^user capstan .*$/m.exec(await readFile(DOCUMENTED, "utf8")) ?? [];
  if (line === undefined) throw new Error("infra/queue/README.md names no Redis user");
  return line.replace("PASSWORD", PASSWORD);
}

interface Guarded {
  readonly server: RedisServer;
  /** With the user that Capstan gets. */
  readonly url: string;
  readonly admin: Redis;
}

async function startGuarded(user: string): Promise<Guarded & AsyncDisposable> {
  const server = await startRedis(["user default off", "user admin on >admin ~* &* +@all", user]);
  const urlFor = (name: string, password: string): string =>
    server.url.replace("redis://", `redis://${name}:${password}@`);
  const admin = new Redis(urlFor("admin", "admin"));
  return {
    server,
    url: urlFor("capstan", PASSWORD),
    admin,
    [Symbol.asyncDispose]: async () => {
      admin.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}

describeWith(redisMissing())("S-23: with the documented Redis user", () => {
  let redis: Guarded & AsyncDisposable;
  let sqs: SqsServer;
  beforeAll(async () => {
    redis = await startGuarded(await documentedUser());
    sqs = await startSqs();
  });
  afterAll(async () => {
    await Promise.all([redis[Symbol.asyncDispose](), sqs[Symbol.asyncDispose]()]);
  });

  queueSuite({
    name: "bullmq",
    concurrent: true,
    create: (own) => twoProcesses(() => createBullmqQueue({ url: redis.url, log: silentLog, ...own })),
  });

  queueSuite({
    name: "sqs",
    concurrent: true,
    create: (own) => {
      const options = {
        ...sqsTarget(sqs),
        url: redis.url,
        log: silentLog,
        ...own,
        waitSeconds: 1,
      };
      return twoProcesses(() => createSqsQueue(options));
    },
  });

  storeSuite({
    name: "redis",
    create: (kindOf) => createRedisStore({ url: redis.url, kindOf, log: silentLog }),
  });

  it("nothing else in Redis can be read, changed or configured", async () => {
    const own = new Redis(redis.url);
    using stack = new DisposableStack();
    stack.defer(() => own.disconnect());
    const others = ["GET other", "SET other 1", "DEL other", "EVAL return(redis.call('get','other')) 0"];
    const dangerous = [
      "KEYS *",
      "FLUSHALL",
      "CONFIG SET maxmemory 1",
      "ACL LIST",
      "SCRIPT FLUSH",
      "SHUTDOWN",
    ];
    for (const text of [...others, ...dangerous]) {
      const [command = "", ...args] = text.split(" ");
      await expect(own.call(command, ...args), text).rejects.toThrow(/NOPERM|The user executing|ACL failure/);
    }
  });
});

describeWith(redisMissing())("S-23: dead letters with the documented Redis user", () => {
  let redis: Guarded & AsyncDisposable;
  beforeAll(async () => {
    redis = await startGuarded(await documentedUser());
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  deadLettersSuite({
    name: "Redis",
    create: async () => {
      await redis.admin.flushall();
      return twoDeadLetters(redis.url);
    },
  });
});

describeWith(redisMissing())("S-23: a Redis user that may do too little", () => {
  it("is refused at the start, with the command that it lacks and the next step", async () => {
    for (const [rights, lacking] of [
      ["~{cap:* +@read +time +info", "'del'"],
      ["~{cap:* -@all +@read +@write +@connection +time +info", "'eval'"],
      ["~{cap:* -@all +@read +@write +@connection +eval +evalsha +info", "'time'"],
      ["~{cap:* +@all -info", "'info'"],
      ["~other:* +@all", "key"],
    ]) {
      await using redis = await startGuarded(`user capstan on >${PASSWORD} ${rights}`);
      const opened = createBullmqQueue({ url: redis.url, log: silentLog });
      await expect(opened).rejects.toThrow(
        new RegExp(
          `^cannot use Redis at redis://capstan:\\*\\*\\*@.*NOPERM.*${lacking}.*infra/queue/README.md lists`,
        ),
      );
    }
  });
});
