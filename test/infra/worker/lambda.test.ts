import { expect, it } from "vitest";
import { systemClock } from "../../../infra/clock.ts";
import { createSqsQueue } from "../../../infra/queue/sqs/sqs.ts";
import { createMemoryStore } from "../../../infra/store/memory.ts";
import type { LambdaOptions, SqsRecord } from "../../../infra/worker/lambda.ts";
import { createLambdaHandler } from "../../../infra/worker/lambda.ts";
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
    await store.put(WIDGETS, { ...base, metadata: { ...base.metadata, name, uid: name } });
  const target = { ...sqsTarget(sqs), url: redis.url };
  const relay = stack.use(await createSqsQueue({ ...target, log: silentLog }));
  const clients = recordingClients();
  const { log, lines } = recordingLog();
  const handler = stack.use(
    createLambdaHandler({
      functions: [growing(step)],
      sqs: target,
      store,
      clients,
      log,
      clock: systemClock,
      timeoutMs: 10 * SECOND,
      ...options,
    }),
  );
  await relay.enqueue(
    NAME,
    keys.map((key) => ({ key, class: "live" as const })),
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
      { messageId: "5", body: second?.body, eventSourceARN: `${LIVE}-other` },
      { messageId: "6" },
      {},
    ];
    expect(await world.handler({ Records })).toEqual({ batchItemFailures: [] });
    const { ready, waiting, running } = await world.relay.depth(NAME);
    // The backoff of its first failure, 100 ms, may be over by now.
    expect({ kept: ready + waiting, running }).toEqual({ kept: 1, running: 0 });
    expect(world.clients.sent).toHaveLength(1);
    expect(
      world.lines.filter(({ fields }) => "reason" in fields && fields.reason === "Malformed"),
    ).toHaveLength(2);
    expect(world.lines.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  it("reports exactly the records that the ledger could not take, and serves them when it is back", async () => {
    await using world = await start(["a", "b"], async () => undefined);
    const Records = [...(await world.records()), { messageId: "x", body: "{}", eventSourceARN: LIVE }];
    await world.redis.kill();
    expect(await world.handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: "m0" }, { itemIdentifier: "m1" }, { itemIdentifier: "x" }],
    });
    await world.redis.restart();
    await eventually(
      () =>
        world.relay.enqueue(
          NAME,
          world.keys.map((key) => ({ key, class: "live" })),
        ),
      {
        withinMs: 10_000,
      },
    );
    const again = await eventually(
      async () => {
        const found = await world.records();
        return found.length > 0 && found;
      },
      { withinMs: 10_000 },
    );
    expect(await world.handler({ Records: again as readonly SqsRecord[] })).toEqual({
      batchItemFailures: [],
    });
    expect(world.clients.sent.length).toBeGreaterThan(0);
    await world.redis.kill();
    const lost = await world.handler({
      Records: [{ messageId: "y", body: '{"v":1,"k":"a","s":"b"}', eventSourceARN: LIVE }],
    });
    expect(lost).toEqual({ batchItemFailures: [{ itemIdentifier: "y" }] });
  });

  it("starts no run for which the platform has no time left", async () => {
    const started: string[] = [];
    await using world = await start(
      ["a", "b"],
      (name) => {
        started.push(name);
        return new Promise(() => undefined);
      },
      { timeoutMs: 400, concurrency: 1 },
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
    expect(await world.handler({})).toEqual({ batchItemFailures: [] });
    expect(await world.relay.depth(NAME)).toMatchObject({ ready: 0 });
  });
});
