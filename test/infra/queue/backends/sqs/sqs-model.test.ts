import { afterAll, beforeAll } from "vitest";
import { createSqsQueue } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { queueModelSuite } from "../../../../suites/queue-model.ts";
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
    let sends = 0;
    // Standard queues deliver at least once: every third batch comes twice.
    sqs.fault = ({ action, body }) => {
      sends += action === "SendMessageBatch" ? 1 : 0;
      if (action === "SendMessageBatch" && sends % 3 === 0) void sqs.call(action, body);
      return undefined;
    };
  });
  afterAll(async () => {
    await Promise.all([redis[Symbol.asyncDispose](), sqs[Symbol.asyncDispose]()]);
  });

  queueModelSuite({
    name: "sqs",
    time: "real",
    atOnce: 40,
    maxLength: 10,
    create: (timing) => {
      const target = { ...sqsTarget(sqs), url: redis.url, log: silentLog, timing, waitSeconds: 1 };
      // A worker that stops cuts its poll off: what was just in the answer is sent again, here sooner than after 60 s.
      const options = { ...target, resendMs: 2 * SECOND };
      return twoProcesses(() => createSqsQueue(options));
    },
  });
});
