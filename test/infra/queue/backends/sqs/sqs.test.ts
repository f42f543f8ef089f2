import { afterAll, beforeAll } from "vitest";
import { createSqsQueue } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { killedWorkersSuite } from "../../../../suites/killed-workers.ts";
import { queueSuite } from "../../../../suites/queue.ts";
import type { RedisServer } from "../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../support/processes/redis-server.ts";
import type { SqsServer } from "../../../../support/processes/sqs.ts";
import { sqsTarget, startSqs } from "../../../../support/processes/sqs.ts";
import { twoProcesses } from "../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../support/requires.ts";
import { silentLog } from "../../../../support/silent-log.ts";

describeWith(redisMissing())("on Redis and an SQS server", () => {
  let redis: RedisServer;
  let sqs: SqsServer;
  beforeAll(async () => {
    [redis, sqs] = await Promise.all([startRedis(), startSqs()]);
  });
  afterAll(async () => {
    await Promise.all([redis[Symbol.asyncDispose](), sqs[Symbol.asyncDispose]()]);
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

  killedWorkersSuite((own) =>
    createSqsQueue({ ...sqsTarget(sqs), waitSeconds: 1, url: redis.url, log: silentLog, ...own }),
  );
});
