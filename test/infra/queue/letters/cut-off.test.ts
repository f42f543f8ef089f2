import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createJsonLinesDeadLetters } from "../../../../infra/queue/letters/json-lines.ts";
import { createRecorder } from "../../../../infra/queue/letters/recorder.ts";
import { Secret } from "../../../../shared/api/core.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { DEFAULT_QUEUE, MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import { type AnyFunction, defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import { replay } from "../../../../shared/runtime/letters/replay.ts";
import type { Clients, KubeClient } from "../../../../shared/runtime/ports.ts";
import { runStep } from "../../../../shared/runtime/run-step.ts";
import { machinePool } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { POOL_KEY } from "../../../support/letters.ts";
import { silentLog } from "../../../support/silent-log.ts";

const SPEC = {
  name: "pool-check",
  summary: "Checks.",
  source: "own",
  reconciles: MachinePool,
  watches: [],
  owns: [],
  calls: [{ verb: "create", kind: Secret }],
} as const;
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } };

const reads = defineFunction<MachinePool, never>(SPEC, async (_, { read }) => {
  await read.live.get(MachinePool, { namespace: "default", name: "s" });
  return { result: done };
});
const writes = defineFunction<MachinePool, never>(SPEC, async () => ({
  create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
  result: done,
}));
const computes = defineFunction<MachinePool, never>(SPEC, async () => new Promise(() => undefined));
const decides = defineFunction<MachinePool, never>(SPEC, async () => ({ result: done }));

/** An API server that answers nothing. */
const never = (): Promise<never> => new Promise(() => undefined);
const silent: Pick<KubeClient, "get" | "create"> = { get: never, create: never };
const clients: Clients = { of: () => silent as KubeClient };

/** The letter of a key whose only run never ends. */
async function letterOf(
  fn: AnyFunction,
  timing: { leaseMs: number; runTimeoutMs: number },
): Promise<DeadLetter> {
  const clock = virtualClock();
  const log = silentLog;
  const store = createMemoryStore();
  const type = { cluster: MANAGEMENT, group: MachinePool.group, kind: MachinePool.kind };
  await store.put(type, [machinePool()]);
  await store.advance(type, { ready: true });
  const deadLetters = createJsonLinesDeadLetters({ file: "/dev/null/letters", clock, log });
  await using recorder = createRecorder({ deadLetters, functions: [fn], clock, log });
  await using queue = await createMemoryQueue({
    clock,
    timing: { ...timing, renewMs: 60 * MINUTE },
    noteFailure: recorder.noteFailure,
  });
  const options = { ...DEFAULT_QUEUE, attempts: 1, owner: "w" };
  await queue.work("pool-check", options, (lease) => runStep(fn, lease, { store, clients, clock, log }));
  await queue.enqueue("pool-check", [
    { key: POOL_KEY, priority: "live", cause: { what: "MachinePool default/p1" } },
  ]);
  await clock.advance(11 * SECOND);
  await eventually(async () => (await queue.depth("pool-check")).dead === 1, { withinMs: 10_000 });
  const letter = await deadLetters.get({ function: "pool-check", key: POOL_KEY });
  if (letter === undefined) throw new Error("the key is dead without a letter");
  return letter;
}

const TOO_LONG = { leaseMs: 60 * MINUTE, runTimeoutMs: 10 * SECOND };
const LOST = { leaseMs: 10 * SECOND, runTimeoutMs: 60 * MINUTE };

describe("the letter of a run that was cut off", () => {
  it("Q-16: by its time limit: holds what was read, and says what it waited for", async () => {
    const letter = await letterOf(reads, TOO_LONG);
    expect(letter).toMatchObject({
      reason: "MaxAttempts",
      attempts: [{ error: { reason: "RunTimeout" }, durationMs: 10 * SECOND }],
      causes: [{ what: "MachinePool default/p1" }],
      run: {
        reads: [
          { question: { call: "get" }, answer: { type: "object" } },
          { question: { call: "live.get" }, answer: { type: "unanswered" } },
        ],
        writes: [],
      },
    });
    const waiting = { result: "waits for live.get MachinePool default/s", requests: [] };
    expect(await replay(reads, letter, systemClock)).toMatchObject({
      type: "reproduced",
      recorded: waiting,
      replayed: waiting,
    });
  });

  it("Q-13: by its lease: the same, when its worker lives", async () => {
    const letter = await letterOf(reads, LOST);
    expect(letter).toMatchObject({
      reason: "LeaseExpired",
      run: { reads: [{ question: { call: "get" } }, { answer: { type: "unanswered" } }] },
    });
  });

  it("while it wrote: holds the decision, which a replay reproduces", async () => {
    const letter = await letterOf(writes, TOO_LONG);
    expect(await replay(writes, letter, systemClock)).toMatchObject({
      type: "reproduced",
      recorded: { result: "done", requests: [{ title: "create Secret default/s" }] },
    });
  });

  it("in the middle of a computation: a replay shows what the step decides on the same inputs", async () => {
    const letter = await letterOf(computes, TOO_LONG);
    expect(await replay(decides, letter, systemClock)).toMatchObject({
      type: "different",
      recorded: { result: "does not end" },
      replayed: { result: "done" },
    });
  });
});
