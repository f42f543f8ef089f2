import { Queue as BullQueue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTrials } from "../../infra/console/jobs/trials.ts";
import { createHeads } from "../../infra/console/sources/letter-heads.ts";
import { openReplayApart } from "../../infra/operate/replay/replay-apart.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { systemRandom } from "../../infra/platform/random.ts";
import { openBackend } from "../../infra/queue/backends/open.ts";
import { createRedisDeadLetters } from "../../infra/queue/backends/redis/letters/letters.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../shared/function/backoff.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { live, OK } from "../suites/queue-world.ts";
import { PRESSED, serveTestConsole } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { deadLetter } from "../support/letters.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { type RedisServer, redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { openSharedQueue } from "../support/shared-queue.ts";
import { silentLog } from "../support/silent-log.ts";

const WITHIN = { withinMs: 60_000, stepMs: 100 };
const NAME = "machine-status";
const KEY = "default/c1|Machine|default/m1";
const TERMINAL: Outcome = {
  type: "error",
  failure: { class: "Terminal", reason: "Broken", message: "no" },
  terminal: true,
  requested: false,
  fences: [],
};

/** Returns what standard output holds, below the lines on standard error. */
function jsonIn(output: string) {
  return JSON.parse(output.slice(output.search(/^[[{]/m)));
}

describeWith(redisMissing())("commands of a shared queue", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const open = () =>
    openSharedQueue(
      { url: redis.url },
      { clock: systemClock, log: silentLog, noteFailure: async () => undefined },
    );

  it("Q-29: a function that BullMQ itself has paused is shown so, and resume says where that ends", async () => {
    using stack = new DisposableStack();
    const connection = stack.adopt(new Redis(redis.url), (each) => each.disconnect());
    const bull = new BullQueue("run", { connection, prefix: "{cap:machine-drain}" });
    const shown = (...args: readonly string[]) =>
      runCli("queue", ...args, "--queue", redis.url).then(({ output }) => output);
    await bull.pause();
    expect(await shown("machine-drain")).toMatch(/machine-drain .* paused in BullMQ/);
    expect(await shown("resume", "machine-drain", "--yes")).toBe(
      "machine-drain is paused in BullMQ, not by Capstan; call resume() of its queue there\n",
    );
    await bull.resume();
    expect(await shown("machine-drain")).not.toContain("paused");
    await bull.close();
  });

  it("pause and resume stop and start a function, dry without --yes, and a pipe gets one line per change", async () => {
    await using queue = await open();
    const source = ["--queue", redis.url];
    await using watched = startCli(["queue", NAME, "--watch", ...source]);
    await using letters = startCli(["dlq", "list", NAME, "--watch", "-o", "json", ...source]);
    await eventually(
      () => expect(watched.output()).toContain("ready 0  running 0  waiting 0  dead 0\n"),
      WITHIN,
    );

    const dry = await runCli("queue", "pause", NAME, ...source);
    expect(dry.output).toBe(`would pause ${NAME}\nnothing was done; add --yes to do it\n`);
    expect((await queue.peek(NAME)).paused).toBeUndefined();
    const paused = await runCli("queue", "pause", NAME, "--yes", ...source);
    expect(paused.output).toContain(`paused ${NAME}\n`);
    expect(paused.output).toMatch(/"user":"[^"]+","function":"machine-status","msg":"function paused"/);
    expect((await runCli("queue", "pause", NAME, "--yes", ...source)).output).toBe(
      `${NAME} is paused already\n`,
    );
    const runs: string[] = [];
    await using _worker = await queue.work(NAME, { ...DEFAULT_QUEUE, owner: "w" }, async ({ key }) => {
      runs.push(key);
      return runs.length === 1 ? TERMINAL : OK;
    });
    await queue.enqueue(NAME, [live(KEY), live(`${KEY}2`, MINUTE)]);
    await eventually(
      () => expect(watched.output()).toContain("ready 1  running 0  waiting 1  dead 0  paused"),
      WITHIN,
    );
    expect((await runCli("queue", NAME, ...source)).output).toMatch(/machine-status +1 .* paused/);
    expect((await runCli("queue", "resume", NAME, "--yes", ...source)).output).toContain(`resumed ${NAME}\n`);
    await eventually(() => expect(watched.output()).toContain("waiting 1  dead 1\n"), WITHIN);
    await eventually(() => expect(letters.output()).toContain(`"key":"${KEY}","state":"dead"`), WITHIN);

    const { output: unheard } = await runCli("queue", NAME, "-o", "json", ...source);
    expect(unheard).toMatch(
      /^capstan: no relay has given a sign of life: nothing below is newer; start a relay$/m,
    );
    const [wide] = jsonIn(unheard);
    expect(wide).toMatchObject({
      function: NAME,
      dead: 1,
      tenants: { "default/c1": { dead: 1, waiting: 1 } },
    });
    const requeued = await runCli("dlq", "replay", NAME, "--all", "--requeue", "--yes", ...source);
    expect(requeued.output).toContain(`requeued ${NAME} ${KEY}`);
    await eventually(() => expect(letters.output()).toContain(`{"gone":"${NAME} ${KEY}"}`), WITHIN);
    const lines = watched.output().split("\n");
    expect(lines.filter((line, at) => line !== "" && line === lines[at - 1])).toEqual([]);
    for (const cli of [watched, letters]) {
      cli.child.kill("SIGINT");
      expect(await cli.ended).toBe(0);
    }
    await queue.pause(NAME);
    const many = Array.from({ length: 30 }, (_, n) => live(`default/c2|Machine|default/n${n}`));
    runs.length = 0;
    await using _failing = await queue.work(
      "machine-node",
      { ...DEFAULT_QUEUE, owner: "w" },
      async () => TERMINAL,
    );
    await queue.enqueue("machine-node", many);
    await eventually(async () => expect((await queue.peek("machine-node")).dead).toBe(30), WITHIN);
    await using stopped = startCli([
      "dlq",
      "replay",
      "machine-node",
      "--all",
      "--requeue",
      "--yes",
      ...source,
    ]);
    await eventually(() => expect(stopped.output()).toContain("dead keys requeued"), WITHIN);
    stopped.child.kill("SIGINT");
    expect(await stopped.ended).toBe(130);
    expect(stopped.output()).toMatch(/capstan: requeueing keys of machine-node: stopped after [12]0 of 30\n/);
    const none = await runCli("queue", "pause", "no-such", "--yes", ...source);
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining("no-such") });
  });

  it("print with -o json the items that the console answers", async () => {
    const options = { url: redis.url, clock: systemClock, log: silentLog };
    await using letters = await createRedisDeadLetters(options);
    const name = "machinepool-status";
    await using queue = await openSharedQueue(options, {
      ...options,
      noteFailure: async ({ key, death }) => {
        if (death !== undefined) await letters.put(deadLetter({ key, deadSince: death.since.toISOString() }));
      },
    });
    await using _worker = await queue.work(name, { ...DEFAULT_QUEUE, owner: "w" }, async () => TERMINAL);
    await queue.enqueue(
      name,
      [1, 2, 3].map((n) => live(`default/c1|MachinePool|default/p${n}`)),
    );
    await eventually(async () => expect((await queue.peek(name)).dead).toBe(3), WITHIN);

    await using ledger = await (await openBackend({ url: redis.url })).ledger(options);
    const openApart = () => openReplayApart(systemClock);
    using trials = createTrials({ ...options, letters, openApart, random: systemRandom });
    const ports = {
      queue: ledger,
      unserved: async () => [],
      letters,
      heads: createHeads({ letters, queue: ledger, clock: systemClock }),
      trials,
    };
    await using world = await serveTestConsole({
      clock: systemClock,
      functions: await loadFunctions([name]),
      ports,
    });
    const headers = { ...(await world.logIn()), ...PRESSED };
    const itemsAt = async (path: string) =>
      (await world.ask(`/api/v1${path}`, { headers })).body["items"] as readonly { readonly key: string }[];
    const printed = async (...args: readonly string[]) =>
      jsonIn((await runCli(...args, name, "-o", "json", "--queue", redis.url)).output);
    const byKey = (rows: readonly { readonly key: string }[]) =>
      rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));

    const [row] = await printed("queue");
    const { tenants, tickLagMs: _, ...counted } = row;
    expect(tenants).toMatchObject({ "default/c1": { dead: 3 } });
    expect(await itemsAt("/queue")).toMatchObject([counted]);
    expect(byKey(await printed("dlq", "list"))).toEqual(byKey(await itemsAt("/letters")));
    expect(await printed("dlq", "groups")).toEqual(await itemsAt("/letter-groups"));
    const begun = await world.ask("/api/v1/trials", {
      method: "POST",
      headers,
      body: JSON.stringify({ function: name }),
    });
    const path = `/trials/${begun.body["id"]}`;
    await eventually(async () => {
      expect((await world.ask(`/api/v1${path}`, { headers })).body).toMatchObject({
        state: "done",
        tried: 3,
      });
    }, WITHIN);
    const { items } = await printed("dlq", "try");
    expect(byKey(items)).toEqual(byKey(await itemsAt(`${path}/letters`)));
  });
});
