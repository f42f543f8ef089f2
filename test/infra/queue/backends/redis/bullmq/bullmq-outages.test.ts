import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { queueOutageSuite } from "../../../../../suites/queue-outages.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";

describeWith(redisMissing())("on Redis", () => {
  queueOutageSuite({ name: "bullmq", create: createBullmqQueue });
});
