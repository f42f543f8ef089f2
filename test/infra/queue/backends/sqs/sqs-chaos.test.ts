import { createSqsQueue } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { CHAOS_FUNCTION, queueChaosSuite } from "../../../../suites/queue-chaos.ts";
import { redisMissing, startRedis } from "../../../../support/processes/redis-server.ts";
import {
  putMessages,
  type SqsServer,
  sqsTarget,
  startSqs,
  takeMessages,
} from "../../../../support/processes/sqs.ts";
import { describeWith } from "../../../../support/requires.ts";
import { silentLog } from "../../../../support/silent-log.ts";

const NAMES = ["live", "resync"].map((wanted) => `capstan-${CHAOS_FUNCTION}-${wanted}`);

/** Taken by a receiver that never comes back, until long after the test; or copied and put back. */
async function takeAll(sqs: SqsServer, name: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const taken = await takeMessages(sqs, name, 600);
    if (taken.length === 0) return bodies;
    bodies.push(...taken.map(({ Body }) => Body));
  }
}

describeWith(redisMissing())("the sqs queue under fire", () => {
  queueChaosSuite({
    name: "sqs",
    create: async () => {
      const [redis, sqs] = await Promise.all([startRedis(), startSqs()]);
      const options = { ...sqsTarget(sqs), url: redis.url, log: silentLog, resendMs: 300, waitSeconds: 1 };
      const queue = await createSqsQueue(options);
      let sends = 0;
      // Beside that, every ninth batch is accepted and lost, and every seventh comes twice.
      sqs.fault = ({ action, body }) => {
        if (action !== "SendMessageBatch") return undefined;
        sends += 1;
        if (sends % 7 === 0) void sqs.call(action, body);
        if (sends % 9 !== 0) return undefined;
        const Successful = (body["Entries"] as readonly { readonly Id: string }[]).map(({ Id }) => ({ Id }));
        return { status: 200, body: { Successful, Failed: [] } };
      };
      return {
        queue,
        redisUrl: redis.url,
        workerArguments: [sqs.endpoint],
        loseTokens: async () => {
          for (const name of NAMES) await takeAll(sqs, name);
        },
        doubleTokens: async () => {
          for (const name of NAMES) {
            const bodies = await takeAll(sqs, name);
            await putMessages(sqs, name, [...bodies, ...bodies]);
          }
        },
        [Symbol.asyncDispose]: async () => {
          await queue[Symbol.asyncDispose]();
          await Promise.all([redis[Symbol.asyncDispose](), sqs[Symbol.asyncDispose]()]);
        },
      };
    },
  });
});
