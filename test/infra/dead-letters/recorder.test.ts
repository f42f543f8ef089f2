import { describe, expect, it } from "vitest";
import { createJsonLinesDeadLetters } from "../../../infra/dead-letters/json-lines.ts";
import { createRecorder } from "../../../infra/dead-letters/recorder.ts";
import { createMemoryQueue } from "../../../infra/queue/memory.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../../shared/runtime/backoff.ts";
import type { DeadLetters } from "../../../shared/runtime/dead-letters-port.ts";
import type { Lease, Outcome, Queue } from "../../../shared/runtime/queue-port.ts";
import { type VirtualClock, virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { POOL_KEY } from "../../support/letters.ts";
import { silentLog } from "../../support/silent-log.ts";

const AT = { function: "machinepool-status", key: POOL_KEY };
const OTHER = "default/c1|MachinePool|default/p2";
const OPTIONS = { ...DEFAULT_QUEUE, attempts: 3, owner: "w" };
const ERROR: Outcome = {
  type: "error",
  failure: { class: "Transient", reason: "Broken", message: "no" },
  terminal: false,
  requested: false,
  fences: [],
};

interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
}

/** The file cannot be written, so everything stays in memory. */
function create(): World {
  const clock = virtualClock();
  const deadLetters = createJsonLinesDeadLetters({ file: "/dev/null/letters", clock, log: silentLog });
  const recorder = createRecorder({ deadLetters, functions: [], clock, log: silentLog });
  const timing = { leaseMs: 30_000, renewMs: 60 * MINUTE };
  const queue = createMemoryQueue({ clock, timing, noteFailure: recorder.noteFailure });
  return {
    clock,
    queue,
    deadLetters,
    [Symbol.asyncDispose]: async () => {
      await queue[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
    },
  };
}

async function runUntilDead(world: World, run: (lease: Lease) => Promise<Outcome>): Promise<void> {
  await world.queue.work(AT.function, OPTIONS, run);
  await world.queue.enqueue(AT.function, [{ key: POOL_KEY, class: "live", cause: { what: "Node n1" } }]);
  await eventually(async () => (await world.deadLetters.get(AT)) !== undefined, {
    clock: world.clock,
    withinMs: 10 * MINUTE,
    stepMs: 100,
  });
}

describe("the recorder of dead letters", () => {
  it("Q-09: writes one letter when the attempts are used up, with all of them", async () => {
    await using world = create();
    await runUntilDead(world, async () => ERROR);
    expect(await world.deadLetters.get(AT)).toMatchObject({
      reason: "MaxAttempts",
      class: "live",
      times: 1,
      attempts: [{ failures: 1 }, { failures: 2 }, { failures: 3, error: { reason: "Broken" } }],
      build: { version: expect.any(String), gitSha: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(await world.deadLetters.list()).toHaveLength(1);
  });

  it("F-12: leaves other keys alone", async () => {
    await using world = create();
    const ran: string[] = [];
    await runUntilDead(world, async ({ key }) => {
      ran.push(key);
      return key === OTHER ? { type: "ok", requested: false, fences: [] } : ERROR;
    });
    await world.queue.enqueue(AT.function, [{ key: OTHER, class: "live" }]);
    await eventually(() => ran.includes(OTHER), { clock: world.clock, withinMs: 1_000 });
  });

  it("writes a letter at once for a terminal failure, and for a malformed key", async () => {
    await using world = create();
    const failure = { class: "Terminal", reason: "MalformedKey", message: "no" } as const;
    await runUntilDead(world, async () => ({ ...ERROR, terminal: true, failure }));
    expect(await world.deadLetters.get(AT)).toMatchObject({ reason: "Malformed", attempts: [{}] });
  });

  it("Q-13: writes a letter for a key whose workers hang until their leases expire", async () => {
    await using world = create();
    await runUntilDead(
      world,
      (lease) => new Promise((resolve) => lease.signal.addEventListener("abort", () => resolve(ERROR))),
    );
    expect(await world.deadLetters.get(AT)).toMatchObject({
      reason: "LeaseExpired",
      attempts: [{}, {}, { error: { reason: "LeaseExpired" } }],
    });
    expect((await world.deadLetters.get(AT))?.run).toBeUndefined();
  });

  it("Q-10: a live event revives the key; dying again counts", async () => {
    await using world = create();
    await runUntilDead(world, async () => ERROR);
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, class: "resync" }]);
    await world.clock.advance(MINUTE);
    expect(await world.deadLetters.get(AT)).toMatchObject({ times: 1 });
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, class: "live" }]);
    await world.clock.advance(MINUTE);
    expect(await world.deadLetters.get(AT)).toMatchObject({ times: 2 });
  });
});
