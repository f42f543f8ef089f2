import { afterAll, beforeAll } from "vitest";
import { createSqsQueue } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { queueOutageSuite } from "../../../../suites/queue-outages.ts";
import { redisMissing } from "../../../../support/processes/redis-server.ts";
import type { SqsServer } from "../../../../support/processes/sqs.ts";
import { sqsTarget, startSqs } from "../../../../support/processes/sqs.ts";
import { describeWith } from "../../../../support/requires.ts";

describeWith(redisMissing())("on an SQS server", () => {
  let sqs: SqsServer;
  let queues = 0;
  beforeAll(async () => {
    sqs = await startSqs();
  });
  afterAll(() => sqs[Symbol.asyncDispose]());

  queueOutageSuite({
    name: "sqs",
    create: (options) => {
      queues += 1;
      return createSqsQueue({ ...sqsTarget(sqs), ...options, prefix: `o${queues}-`, waitSeconds: 1 });
    },
  });
});
