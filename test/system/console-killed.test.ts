import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Job } from "../../infra/console/api/actions.ts";
import type { Letters } from "../../infra/console/api/letters.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { createRedisDeadLetters } from "../../infra/queue/backends/redis/letters/letters.ts";
import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { live } from "../suites/queue-world.ts";
import { openClient } from "../support/console-client.ts";
import { eventually } from "../support/eventually.ts";
import { deadLetter } from "../support/letters.ts";
import { type CliProcess, startCli } from "../support/processes/cli.ts";
import { type RedisServer, redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { openSharedQueue } from "../support/shared-queue.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 20 };
const NAME = "machinepool-status";
const KEYS = Array.from({ length: 45 }, (_, n) => `default/c1|MachinePool|default/p${n}`);
const TERMINAL: Outcome = {
  type: "error",
  failure: { class: "Terminal", reason: "Broken", message: "no" },
  terminal: true,
  requested: false,
  fences: [],
};

/** Makes every key dead, with its letter; the queue that is returned has no worker any more. */
async function withDeadKeys(redis: RedisServer) {
  const options = { url: redis.url, clock: systemClock, log: silentLog };
  await using letters = await createRedisDeadLetters(options);
  const noteFailure: Parameters<typeof openSharedQueue>[1]["noteFailure"] = async ({ key, death }) => {
    if (death !== undefined) await letters.put(deadLetter({ key, deadSince: death.since.toISOString() }));
  };
  const queue = await openSharedQueue(options, { ...options, noteFailure });
  await using _worker = await queue.work(NAME, { ...DEFAULT_QUEUE, owner: "w" }, async () => TERMINAL);
  await queue.enqueue(
    NAME,
    KEYS.map((key) => live(key)),
  );
  await eventually(async () => expect((await queue.peek(NAME)).dead).toBe(KEYS.length), WITHIN);
  return queue;
}

/** Keys that the log of a console names as requeued. */
function requeuedBy(console: CliProcess): readonly string[] {
  const lines = console.output().split("\n");
  const requeued = lines.filter((line) => line.endsWith('"msg":"dead letters requeued"}'));
  return requeued.flatMap((line) => (JSON.parse(line) as { readonly keys: readonly string[] }).keys);
}

describeWith(redisMissing())("a console that is killed", () => {
  it("amid a bulk requeue: its log names what was done, the rest is still dead, and the next one puts it back", async () => {
    await using stack = new AsyncDisposableStack();
    const dir = testFolder("killed");
    const server = await startApiServer({ name: "killed" });
    stack.defer(() => server.stop());
    const kubeconfig = join(dir, "kubeconfig");
    await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    const redis = stack.use(await startRedis());
    const queue = stack.use(await withDeadKeys(redis));
    const start = () =>
      startCli([
        ...["console", "--kubeconfig", kubeconfig, "--queue", redis.url],
        ...["--address", "127.0.0.1:0", "--actions"],
      ]);
    const clientOf = async (console: CliProcess) => {
      const [, link = ""] = await eventually(() => {
        const found = /console: (http:\S+)/.exec(console.output());
        if (found === null) throw new Error(`no link yet: ${console.output()}`);
        return found;
      }, WITHIN);
      return openClient(link);
    };
    const requeueAll = async (console: CliProcess, count: number) => {
      const client = await clientOf(console);
      const { items } = await client.read<Letters>(`letters?function=${NAME}&limit=200`);
      const dead = items.filter(({ state }) => state === "dead");
      const keys = dead.map(({ key, deadSince, times }) => ({ key, deadSince, times }));
      expect(keys.length).toBe(count);
      return client.post<Job>("jobs", { action: "requeue", function: NAME, select: { keys }, count });
    };

    await using killed = start();
    await requeueAll(killed, KEYS.length);
    await eventually(() => expect(requeuedBy(killed).length).toBeGreaterThanOrEqual(10), WITHIN);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const done = requeuedBy(killed);
    expect(done.length).toBeLessThan(KEYS.length);
    const left = KEYS.length - done.length;
    expect(await queue.peek(NAME)).toMatchObject({ ready: done.length, dead: left });

    await using next = start();
    await requeueAll(next, left);
    await eventually(() => expect(requeuedBy(next).length).toBe(left), WITHIN);
    expect(new Set([...done, ...requeuedBy(next)])).toEqual(new Set(KEYS));
    expect(await queue.peek(NAME)).toMatchObject({ ready: KEYS.length, dead: 0 });
  });
});
