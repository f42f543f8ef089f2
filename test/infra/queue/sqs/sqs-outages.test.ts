import { afterAll, beforeAll } from "vitest";
import { redisMissing } from "../../../../infra/bench/redis-server.ts";
import { createSqsQueue } from "../../../../infra/queue/sqs/sqs.ts";
import { queueOutageSuite } from "../../../suites/queue-outages.ts";
import { describeWith } from "../../../support/requires.ts";
import type { SqsServer } from "../../../support/sqs.ts";
import { sqsTarget, startSqs } from "../../../support/sqs.ts";

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
