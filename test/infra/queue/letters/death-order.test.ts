import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { openBackend } from "../../../../infra/queue/backends/open.ts";
import { createRecorder } from "../../../../infra/queue/letters/recorder.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import { eventually } from "../../../support/eventually.ts";
import { POOL_KEY } from "../../../support/letters.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { spawnChild } from "../../../support/processes/spawn-child.ts";
import { describeWith } from "../../../support/requires.ts";
import { openShortLetterQueue } from "../../../support/short-letter-queue.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { testFolder } from "../../../support/test-folder.ts";

const WORKER = new URL("../../../support/processes/mortal-worker.ts", import.meta.url).pathname;

describeWith(redisMissing())("a worker that is killed while a key of it dies", { concurrent: true }, () => {
  let opened: AsyncDisposableStack;
  let url: string;
  let folder: string;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    url = opened.use(await startRedis()).url;
    folder = testFolder("letters");
  });
  afterAll(() => opened.disposeAsync());

  /** The letter, as soon as the ledger says dead. */
  async function letterAfterKill(name: string, when: string, file?: string): Promise<DeadLetter> {
    await using stack = new AsyncDisposableStack();
    const [clock, log] = [systemClock, silentLog];
    const backend = await openBackend({ url });
    const deadLetters = stack.use(await backend.letters({ file, clock, log, writer: false }));
    const recorder = stack.use(createRecorder({ deadLetters, functions: [], clock, log }));
    const { queue, ledger } = stack.use(await openShortLetterQueue(url, name, recorder.noteFailure));
    await queue.enqueue([{ key: POOL_KEY, priority: "live", cause: { what: "Node n1" } }]);
    const child = spawnChild(
      process.execPath,
      [WORKER, url, name, when, ...(file === undefined ? [] : [file])],
      {
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    stack.defer(() => void child.kill("SIGKILL"));
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
    await eventually(async () => (await ledger.dead(name)).length === 1, { withinMs: 20_000, stepMs: 1 });
    const letter = await deadLetters.get({ function: name, key: POOL_KEY });
    if (letter === undefined) throw new Error("the key is dead without a letter");
    expect(letter).toMatchObject({
      reason: "MaxAttempts",
      times: 1,
      attempts: [{ failures: 1, owner: expect.stringMatching("^mortal/"), error: { reason: "Broken" } }],
    });
    expect((await ledger.dead(name))[0]?.since.toISOString()).toBe(letter.deadSince);
    return letter;
  }

  it("Q-09: before the letter is written, leaves the death to a tick, which writes what the ledger knows", async () => {
    expect((await letterAfterKill("before", "before")).run).toBeUndefined();
  });

  it("Q-09: after the letter is written, leaves the death to a tick, which keeps the letter", async () => {
    const letter = await letterAfterKill("after", "after");
    expect(letter).toMatchObject({ causes: [{ what: "Node n1" }], run: { error: { message: "no" } } });
  });

  it("Q-09: the same with letters in a file", async () => {
    const letter = await letterAfterKill("file", "after", join(folder, "letters.jsonl"));
    expect(letter).toMatchObject({ causes: [{ what: "Node n1" }], run: { error: { message: "no" } } });
  });
});
