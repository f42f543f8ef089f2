import { describe, expect, it } from "vitest";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { createPushedSqsQueue, createSqsQueue } from "../../../infra/queue/backends/sqs/sqs.ts";
import type { LambdaOptions, SqsRecord } from "../../../infra/worker/lambda.ts";
import { createLambdaHandler } from "../../../infra/worker/lambda.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { defineFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { eventually } from "../../support/eventually.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { sqsTarget, startSqs, takeMessages } from "../../support/processes/sqs.ts";
import { recordingClients } from "../../support/recording-clients.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";
import { WIDGETS, Widget, widget } from "../../support/widget.ts";

const NAME = "widget-grow";
const LIVE = `arn:aws:sqs:us-east-1:000000000000:capstan-${NAME}-live`;

type Step = (name: string) => Promise<void>;

function growing(step: Step) {
  return defineFunction(
    { name: NAME, summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: ["status.size"] },
    async ({ metadata, status }) => {
      await step(metadata.name);
      return { apply: { "status.size": (status?.size ?? 0) + 1 }, result: done };
    },
  );
}

/** A ledger with the given Widgets on the queue, and a handler that has not been called yet. */
async function start(names: readonly string[], step: Step, options: Partial<LambdaOptions> = {}) {
  const stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const sqs = stack.use(await startSqs());
  const store = stack.use(createMemoryStore());
  await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
  const base = widget();
  const keys = names.map((name) => `default/${name}|Widget|default/${name}`);
  for (const name of names)
    await store.put(WIDGETS, [{ ...base, metadata: { ...base.metadata, name, uid: name } }]);
  const target = { ...sqsTarget(sqs), url: redis.url };
  const relay = stack.use(await createSqsQueue({ ...target, log: silentLog }));
  const clients = recordingClients();
  const { log, lines } = recordingLog();
  const functions = [growing(step)];
  const handler = stack.use(
    createLambdaHandler({
      functions,
      log,
      clock: systemClock,
      timeoutMs: 10 * SECOND,
      connect: async (timing) => {
        const queue = await createPushedSqsQueue({ ...target, log, timing });
        const parts = { functions, queue, store, clients, log, clock: systemClock, owner: "lambda" };
        const worker = await startWorker(parts);
        const dispose = async () => {
          await worker[Symbol.asyncDispose]();
          await queue[Symbol.asyncDispose]();
        };
        return { deliver: queue.deliver, [Symbol.asyncDispose]: dispose };
      },
      ...options,
    }),
  );
  await relay.enqueue(
    NAME,
    keys.map((key) => ({ key, priority: "live" as const })),
  );
  /** As Lambda's own poller: receives, hands over, deletes messages that are not reported. */
  const records = async (): Promise<readonly SqsRecord[]> =>
    (await takeMessages(sqs, `capstan-${NAME}-live`)).map(({ Body }, n) => ({
      messageId: `m${n}`,
      body: Body,
      eventSourceARN: LIVE,
    }));
  const dispose = () => stack.disposeAsync();
  return { redis, relay, clients, lines, handler, records, keys, [Symbol.asyncDispose]: dispose };
}

/** A handler of 60 s, with connections that only note what they are handed. */
function handing(connect: () => Promise<(messageId: string | undefined) => Promise<void>>) {
  const { log, lines } = recordingLog();
  const handler = createLambdaHandler({
    functions: [growing(async () => undefined)],
    log,
    clock: systemClock,
    timeoutMs: 60 * SECOND,
    connect: async () => {
      const deliver = await connect();
      return {
        deliver: (_, { MessageId }) => deliver(MessageId),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  });
  return { handler, lines };
}

describe("the Lambda entry, whatever it is handed", () => {
  it("takes 10,000 records, and opens its connections once", async () => {
    let opened = 0;
    const { handler } = handing(async () => {
      opened += 1;
      return async (messageId) => {
        if (messageId === "m7") throw new Error("no");
      };
    });
    const Records = Array.from({ length: 10_000 }, (_, n) => ({ messageId: `m${n}`, eventSourceARN: LIVE }));
    expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: "m7" }] });
    expect(opened).toBe(1);
  });

  it("tries to connect once for an event, says once why it cannot, and tries again for the next", async () => {
    let opened = 0;
    const { handler, lines } = handing(async () => {
      opened += 1;
      throw new Error("Redis is away");
    });
    const Records = ["1", "2", "3"].map((messageId) => ({ messageId, eventSourceARN: LIVE }));
    const all = { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    expect(await handler({ Records })).toEqual(all);
    expect(lines.map(({ fields }) => fields)).toEqual([
      { queue: LIVE, error: "Error: Redis is away", messages: 3 },
    ]);
    expect(await handler({ Records })).toEqual(all);
    expect(opened).toBe(2);
  });

  it("answers before the platform ends it, also while it cannot connect", async () => {
    const { handler } = handing(() => new Promise(() => undefined));
    const Records = [{ messageId: "1", eventSourceARN: LIVE }];
    // A run may take 29 s, and the end 2 s: half a second is left for the start of runs.
    const context = { getRemainingTimeInMillis: () => 31.5 * SECOND };
    expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: "1" }] });
  });

  it("does not believe a remaining time that a clock after a freeze gives", async () => {
    const { handler } = handing(async () => async () => undefined);
    const Records = [{ messageId: "1", eventSourceARN: LIVE }];
    for (const remaining of [-600 * SECOND, 0, Number.NaN, 600 * SECOND]) {
      const context = { getRemainingTimeInMillis: () => remaining };
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });
    }
  });
});

describeWith(redisMissing())("the Lambda entry", { concurrent: true }, () => {
  it("runs the records of a batch side by side and reports none", async () => {
    let running = 0;
    let most = 0;
    await using world = await start(
      ["a", "b", "c", "d"],
      async () => {
        running += 1;
        most = Math.max(most, running);
        await eventually(() => most >= 3, { withinMs: 5_000 });
        running -= 1;
      },
      { concurrency: 3 },
    );
    expect(await world.handler({ Records: await world.records() })).toEqual({ batchItemFailures: [] });
    expect(most).toBe(3);
    expect(world.clients.sent).toHaveLength(4);
    expect(await world.relay.depth(NAME)).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
  });

  it("leaves a run that fails to the ledger, and drops a stale or malformed record", async () => {
    await using world = await start(["a", "b"], async (name) => {
      if (name === "a") throw new Error("no");
    });
    const [first, second] = await world.records();
    const Records: readonly SqsRecord[] = [
      { ...first, messageId: "1" },
      { ...first, messageId: "copy" },
      { ...second, messageId: "2" },
      { messageId: "3", body: "{}", eventSourceARN: LIVE },
      { messageId: "4", body: 7, eventSourceARN: LIVE },
    ];
    expect(await world.handler({ Records })).toEqual({ batchItemFailures: [] });
    const { ready, waiting, running } = await world.relay.depth(NAME);
    // The backoff of its first failure, 100 ms, may be over by now.
    expect({ kept: ready + waiting, running }).toEqual({ kept: 1, running: 0 });
    expect(world.clients.sent).toHaveLength(1);
    expect(
      world.lines.filter(({ fields }) => "reason" in fields && fields.reason === "Malformed"),
    ).toHaveLength(2);
    expect(world.lines.filter(({ level }) => level === "error")).toHaveLength(0);
  });

  it("S-71: runs nothing of a queue of others, and leaves its messages there", async () => {
    await using world = await start(["a"], async () => undefined);
    const [own] = await world.records();
    const others = [
      `${LIVE}-other`,
      LIVE.replace("-live", "-dead"),
      LIVE.replace("capstan-", ""),
      7,
      undefined,
    ];
    const Records = others.map((eventSourceARN, n) => ({ ...own, messageId: `${n}`, eventSourceARN }));
    const ids = others.map((_, n) => ({ itemIdentifier: `${n}` }));
    // An empty identifier, or none, would make Lambda deliver the whole batch again.
    const nameless = [{ ...own, messageId: "", eventSourceARN: "" }, {}, null, 7];
    expect(await world.handler({ Records: [...Records, ...nameless] })).toEqual({ batchItemFailures: ids });
    expect(world.clients.sent).toEqual([]);
    const errors = world.lines.filter(({ level }) => level === "error");
    expect(errors.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ queue: `${LIVE}-other`, messages: 1 }),
    );
    expect(await world.handler({ Records: [own] })).toEqual({ batchItemFailures: [] });
    expect(world.clients.sent).toHaveLength(1);
  });

  it("starts no run for which the platform has no time left", async () => {
    const started: string[] = [];
    await using world = await start(
      ["a", "b"],
      (name) => {
        started.push(name);
        return new Promise(() => undefined);
      },
      { timeoutMs: 6 * SECOND, concurrency: 1 },
    );
    expect(await world.handler({ Records: await world.records() })).toEqual({
      batchItemFailures: [{ itemIdentifier: "m1" }],
    });
    expect(started).toHaveLength(1);
    // The one that was cut off waits for its next attempt, which may be due by now.
    const { waiting, ready } = await world.relay.depth(NAME);
    expect(waiting + ready).toBe(2);
  });

  it("S-72: keeps nothing of one tenant for the next event", async () => {
    const seen: string[] = [];
    await using world = await start(["canary", "other"], async (name) => {
      seen.push(name);
    });
    const records = await world.records();
    for (const record of records) await world.handler({ Records: [record] });
    expect(seen).toEqual(["canary", "other"]);
    const [, second] = world.clients.sent;
    expect(JSON.stringify(second)).not.toContain("canary");
    const ofOther = world.lines.filter(({ fields }) => JSON.stringify(fields).includes("other"));
    expect(JSON.stringify(ofOther)).not.toContain("canary");
  });

  it("answers an event without records", async () => {
    await using world = await start([], async () => undefined);
    for (const event of [{}, { Records: [] }, { Records: 7 }, null, undefined, "text", []]) {
      expect(await world.handler(event)).toEqual({ batchItemFailures: [] });
    }
    expect(await world.relay.depth(NAME)).toMatchObject({ ready: 0 });
  });
});
