import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import type { SqsQueueOptions } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { createSqsQueue } from "../../../../../infra/queue/backends/sqs/sqs.ts";
import { LEASE_TIMING } from "../../../../../infra/queue/run-lease.ts";
import { DEFAULT_QUEUE } from "../../../../../shared/function/backoff.ts";
import type { FailedRun } from "../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import type { Outcome, Queue, QueueEntry } from "../../../../../shared/runtime/queue/queue-port.ts";
import { eventually, holds } from "../../../../support/eventually.ts";
import type { RedisServer } from "../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../support/processes/redis-server.ts";
import type { SqsServer } from "../../../../support/processes/sqs.ts";
import {
  countMessages,
  putMessages,
  sqsTarget,
  startSqs,
  takeMessages,
} from "../../../../support/processes/sqs.ts";
import { recordingLog } from "../../../../support/recording-log.ts";
import { describeWith } from "../../../../support/requires.ts";
import { silentLog } from "../../../../support/silent-log.ts";

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const WORK = { ...DEFAULT_QUEUE, owner: "w" };
const WITHIN = { withinMs: 15_000 };

const entries = (count: number): readonly QueueEntry[] =>
  Array.from({ length: count }, (_, n) => ({ key: `default/-|Machine|default/m${n}`, priority: "live" }));

interface Servers extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly sqs: SqsServer;
  readonly open: (options?: Partial<SqsQueueOptions>) => ReturnType<typeof createSqsQueue>;
}

async function startServers(): Promise<Servers> {
  const [redis, sqs] = await Promise.all([startRedis(), startSqs()]);
  return {
    redis,
    sqs,
    open: (options = {}) =>
      createSqsQueue({ ...sqsTarget(sqs), url: redis.url, log: silentLog, waitSeconds: 1, ...options }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([redis[Symbol.asyncDispose](), sqs[Symbol.asyncDispose]()]);
    },
  };
}

/** Works on `f` and collects the keys that ran. */
async function collect(queue: Queue): Promise<AsyncDisposable & { readonly keys: readonly string[] }> {
  const keys: string[] = [];
  const worker = await queue.work("f", WORK, async ({ key }) => {
    keys.push(key);
    return OK;
  });
  return { keys, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() };
}

function isQuiet(queue: Queue): Promise<boolean> {
  return queue.depth("f").then(({ ready, running, waiting }) => ready + running + waiting === 0);
}

/** Text without a pattern, now and then almost a token. */
function garbage(seed: number): string {
  const almost = [
    "{}",
    "[]",
    "null",
    '{"v":1}',
    '{"v":2,"k":"a","s":"b"}',
    '{"v":1,"k":"a","s":7}',
    '{"v":1,"k":"","s":"b"}',
    '{"v":1,"k":"a","s":"b","delete":true}',
    '{"v":1,"k":["a"],"s":"b"}',
    '{"__proto__":{"v":1,"k":"a","s":"b"}}',
    `{"v":1,"k":"${"a".repeat(5_000)}","s":"b"}`,
    "[".repeat(4_000),
  ];
  const chosen = almost[seed % (almost.length * 2)];
  if (chosen !== undefined) return chosen;
  let state = seed + 1;
  return Array.from({ length: 1 + (seed % 60) }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x20 + (state % 0x5f));
  }).join("");
}

describeWith(redisMissing())("the sqs queue", { concurrent: true }, () => {
  it("Q-01, Q-32: messages carry the token and the tenant, on one queue per class with a transport DLQ", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    await using queue = await servers.open({ prefix: "own_" });
    await queue.enqueue("f", [
      { key: "ns/c|Machine|ns/a", priority: "live" },
      { key: "ns/c|Machine|ns/b", priority: "resync" },
    ]);
    const sent = sqs.requests.filter(({ action }) => action === "SendMessageBatch");
    expect(sent.flatMap(({ body }) => body["Entries"])).toMatchObject([
      {
        MessageBody: expect.stringMatching(/^\{"v":1,"k":"ns\/c\|Machine\|ns\/a","s":"[^"]+"\}$/),
        MessageGroupId: "ns/c",
      },
      { MessageBody: expect.stringContaining("ns/b"), MessageGroupId: "ns/c" },
    ]);
    const { QueueUrl } = await sqs.call("GetQueueUrl", { QueueName: "own_f-resync" });
    const { Attributes } = await sqs.call("GetQueueAttributes", { QueueUrl, AttributeNames: ["All"] });
    const { RedrivePolicy = "", VisibilityTimeout } = Attributes as Readonly<Record<string, string>>;
    expect(VisibilityTimeout).toBe("60");
    expect(JSON.parse(RedrivePolicy)).toMatchObject({
      deadLetterTargetArn: expect.stringMatching(/:own_f-dead$/),
      maxReceiveCount: 10,
    });
    expect(await countMessages(sqs, "own_f-live")).toBe(1);
  });

  it("Q-01, Q-23: doubled and late messages cause no run", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    await using queue = await servers.open();
    await queue.enqueue("f", entries(20));
    const taken = [
      ...(await takeMessages(sqs, "capstan-f-live", 0)),
      ...(await takeMessages(sqs, "capstan-f-live", 0)),
    ];
    const bodies = taken.map(({ Body }) => Body);
    await putMessages(sqs, "capstan-f-live", bodies);
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    await putMessages(sqs, "capstan-f-resync", bodies);
    await eventually(async () => (await countMessages(sqs, "capstan-f-resync")) === 0, WITHIN);
    await eventually(async () => (await countMessages(sqs, "capstan-f-live")) === 0, WITHIN);
    expect(new Set(worker.keys)).toEqual(new Set(entries(20).map(({ key }) => key)));
    expect(worker.keys).toHaveLength(20);
  });

  it("Q-04: a message whose receiver is gone comes back after the visibility timeout", async () => {
    await using servers = await startServers();
    await using queue = await servers.open();
    await queue.enqueue("f", entries(10));
    expect(await takeMessages(servers.sqs, "capstan-f-live", 1)).toHaveLength(10);
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(10);
  });

  it("Q-13: a message whose receiver is killed before its claim does not hold up its key until it is visible again", async () => {
    await using servers = await startServers();
    await using queue = await servers.open();
    const before = Date.now();
    await queue.enqueue("f", entries(1));
    expect(await takeMessages(servers.sqs, "capstan-f-live", 3_600)).toHaveLength(1);
    using connections = new DisposableStack();
    const redis = connections.adopt(new Redis(servers.redis.url), (each) => each.disconnect());
    const [, resendAt] = await redis.zrange("{cap:f}:l:resend", "0", "0", "WITHSCORES");
    expect(Number(resendAt) - before).toBeLessThan(LEASE_TIMING.leaseMs);
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(1);
  });

  it("Q-04, Q-22: tokens that are lost are sent again by the tick", async () => {
    await using servers = await startServers();
    await using queue = await servers.open({ resendMs: 200 });
    await queue.enqueue("f", entries(10));
    const { QueueUrl } = await servers.sqs.call("GetQueueUrl", { QueueName: "capstan-f-live" });
    await servers.sqs.call("PurgeQueue", { QueueUrl });
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(10);
  });

  it("Q-04: queues that are deleted under way are created again", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    await using queue = await servers.open({ resendMs: 200 });
    await queue.enqueue("f", entries(5));
    for (const QueueName of ["capstan-f-live", "capstan-f-resync"]) {
      const found = await sqs.call("GetQueueUrl", { QueueName }).catch(() => undefined);
      if (found !== undefined) await sqs.call("DeleteQueue", found);
    }
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(5);
  });

  it("Q-04: what SQS does not take of a batch is sent again at once, not after the resend time", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    let refused = 0;
    sqs.fault = ({ action, body }) => {
      if (action !== "SendMessageBatch" || refused > 0) return undefined;
      const all = (body["Entries"] as readonly { readonly Id: string }[]).map(({ Id }) => Id);
      refused = all.length;
      const Failed = all.map((Id) => ({ Id, SenderFault: false, Code: "InternalError", Message: "sorry" }));
      return { status: 200, body: { Successful: [], Failed } };
    };
    await using queue = await servers.open();
    await queue.enqueue("f", entries(25));
    expect(refused).toBe(10);
    await using worker = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(25);
    expect(queue.healthy()).toEqual({ ok: true });
  });

  it("Q-15: accepts events while SQS is away, says so, and catches up by itself when it is back", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    const { log, lines } = recordingLog();
    await using queue = await servers.open({ log });
    await using worker = await collect(queue);
    await queue.enqueue("f", entries(1));
    await eventually(() => worker.keys.length === 1, WITHIN);
    await sqs.unplug();
    await queue.enqueue("f", entries(30));
    await eventually(
      () => expect(queue.healthy()).toEqual({ ok: false, message: expect.stringContaining("SQS") }),
      WITHIN,
    );
    expect(await queue.depth("f")).toMatchObject({ ready: 30 });
    await queue.enqueue("f", entries(40));
    await sqs.plugIn();
    await eventually(() => isQuiet(queue), WITHIN);
    expect(worker.keys).toHaveLength(41);
    await eventually(() => expect(queue.healthy()).toEqual({ ok: true }), WITHIN);
    const said = lines
      .filter(({ fields }) => "sqs" in fields)
      .map(({ level, message }) => `${level}: ${message}`);
    expect(said).toEqual(["warn: SQS cannot be used; tokens wait", "info: SQS is back"]);
  });

  it("Q-15: an SQS that takes calls and never answers holds up no event for long", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    const hasty: Clock = { ...systemClock, after: (ms, call) => systemClock.after(ms / 10, call) };
    await using queue = await servers.open({ clock: hasty });
    await using worker = await collect(queue);
    sqs.fault = () => "hang";
    const before = sqs.requests.length;
    await queue.enqueue("f", entries(400));
    await queue.enqueue("f", entries(450));
    const tried = sqs.requests.slice(before).filter(({ action }) => action === "SendMessageBatch");
    expect(tried.length).toBeLessThanOrEqual(3 * 8 * 2);
    expect(queue.healthy()).toMatchObject({ ok: false });
    sqs.fault = undefined;
    await eventually(() => isQuiet(queue), WITHIN);
    expect(new Set(worker.keys).size).toBe(450);
  });

  it("Q-15: starts while SQS is away", async () => {
    await using servers = await startServers();
    await servers.sqs.unplug();
    await using queue = await servers.open();
    await using worker = await collect(queue);
    await queue.enqueue("f", entries(3));
    await servers.sqs.plugIn();
    await eventually(() => worker.keys.length === 3, WITHIN);
  });

  it("Q-14: a worker that stops leaves nothing invisible", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    await using queue = await servers.open();
    const first = await collect(queue);
    await eventually(() => sqs.requests.some(({ body }) => body["WaitTimeSeconds"] === 1), WITHIN);
    await Promise.all([first[Symbol.asyncDispose](), queue.enqueue("f", entries(10))]);
    await using second = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(first.keys.length + second.keys.length).toBe(10);
  });

  it("Q-14: a worker that stops gives back at once what it has received and not claimed", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    await using queue = await servers.open({ timing: { drainMs: 50 } });
    let running = 0;
    const busy = await queue.work("f", { ...WORK, concurrency: 2 }, () => {
      running += 1;
      return new Promise(() => undefined);
    });
    const polls = () => sqs.requests.filter(({ body }) => body["WaitTimeSeconds"] === 1);
    await eventually(() => polls().length === 2, WITHIN);
    await queue.enqueue("f", entries(2));
    await eventually(() => running === 2, WITHIN);
    await queue.enqueue("f", [{ key: "default/-|Machine|default/old", priority: "resync" }]);
    const visible = async () => (await takeMessages(sqs, "capstan-f-resync", 0)).length;
    await eventually(async () => (await visible()) === 0, WITHIN);
    await busy[Symbol.asyncDispose]();
    expect(await visible()).toBe(1);
    await using second = await collect(queue);
    await eventually(() => isQuiet(queue), WITHIN);
    expect(second.keys).toHaveLength(3);
  });

  it("Q-11: resync is served although live never pauses", async () => {
    await using servers = await startServers();
    await using queue = await servers.open();
    const keys: string[] = [];
    let resynced = false;
    await queue.enqueue("f", entries(30));
    await queue.enqueue("f", [{ key: "default/-|Machine|default/old", priority: "resync" }]);
    await using _worker = await queue.work("f", { ...WORK, concurrency: 1 }, async ({ key }) => {
      keys.push(key);
      resynced ||= key.endsWith("/old");
      return resynced ? OK : { ...OK, afterMs: 0 };
    });
    await eventually(() => resynced, WITHIN);
    expect(keys.findIndex((key) => key.endsWith("/old"))).toBe(9);
  });

  it("never asks for more than it has free slots", async () => {
    await using servers = await startServers();
    await using queue = await servers.open();
    await queue.enqueue("f", entries(12));
    const end = Promise.withResolvers<Outcome>();
    let running = 0;
    await using _worker = await queue.work("f", { ...WORK, concurrency: 4 }, () => {
      running += 1;
      return end.promise;
    });
    await eventually(() => running === 4, WITHIN);
    await holds(() => running === 4, { forMs: 100 });
    const asked = servers.sqs.requests.filter(({ action }) => action === "ReceiveMessage");
    expect(asked.map(({ body }) => body["MaxNumberOfMessages"])).toEqual([4]);
    end.resolve(OK);
    await eventually(() => isQuiet(queue), WITHIN);
  });

  it("deletes a thousand messages that are not tokens, counts them, and runs the real token", async () => {
    await using servers = await startServers();
    const { sqs } = servers;
    const { log, lines } = recordingLog();
    const failed: FailedRun[] = [];
    await using queue = await servers.open({ log, noteFailure: async (run) => void failed.push(run) });
    await queue.enqueue("f", [{ key: "default/-|Machine|default/m0", priority: "live" }]);
    await putMessages(
      sqs,
      "capstan-f-live",
      Array.from({ length: 1_000 }, (_, seed) => garbage(seed)),
    );
    await using worker = await collect(queue);
    await eventually(() => failed.length === 1_000, WITHIN);
    expect(failed.every(({ death }) => death?.reason === "Malformed")).toBe(true);
    expect(new Set(failed.map(({ key }) => key))).toEqual(new Set(["malformed-token"]));
    await eventually(async () => (await countMessages(sqs, "capstan-f-live")) === 0, WITHIN);
    expect(worker.keys).toEqual(["default/-|Machine|default/m0"]);
    expect(await queue.depth("f")).toMatchObject({ ready: 0, dead: 0 });
    const reported = lines.filter(({ fields }) => "reason" in fields && fields.reason === "Malformed");
    expect(reported).toHaveLength(1_000);
    expect(JSON.stringify(reported)).not.toContain("__proto__");
  });

  it("refuses a key that fits into no message once its characters are escaped, and continues", async () => {
    await using servers = await startServers();
    await using queue = await servers.open();
    await using worker = await collect(queue);
    const wide = `default/-|Machine|default/${"ü".repeat(1_500)}`;
    await expect(queue.enqueue("f", [{ key: wide, priority: "live" }])).rejects.toThrow(
      /^the key "default\/-\|Machine\|default\/ü+…" of 1526 characters does not fit into an SQS message$/,
    );
    await queue.enqueue("f", [{ key: `${"t".repeat(300)}|Machine|default/m`, priority: "live" }]);
    await eventually(() => worker.keys.length === 1, WITHIN);
    expect(await queue.depth("f")).toMatchObject({ ready: 0, dead: 0 });
  });

  it("names the missing queue and how to create it where it must not create any", async () => {
    await using servers = await startServers();
    const { log, lines } = recordingLog();
    await using queue = await servers.open({ createQueues: false, log });
    await expect(collect(queue)).rejects.toThrow(
      /^SQS queue "capstan-f-live" does not exist in us-east-1: create it .*aws sqs create-queue .*&createQueues=true/,
    );
    await queue.enqueue("f", entries(1));
    expect(await queue.depth("f")).toMatchObject({ ready: 1 });
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await servers.sqs.call("CreateQueue", { QueueName: "capstan-f-live" });
    await servers.sqs.call("CreateQueue", { QueueName: "capstan-f-resync" });
    await using worker = await collect(queue);
    await eventually(() => worker.keys.length === 1, WITHIN);
  });

  it("refuses settings that SQS would not take", async () => {
    await using servers = await startServers();
    await expect(servers.open({ waitSeconds: 21 })).rejects.toThrow("0 to 20 whole seconds, not 21");
    await expect(servers.open({ prefix: "a.b" })).rejects.toThrow('SQS prefix "a.b" is not');
    await expect(servers.open({ url: "redis://:hunter2@127.0.0.1:1" })).rejects.toThrow(
      "redis://:***@127.0.0.1:1",
    );
  });
});
