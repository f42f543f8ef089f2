import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { LEASE_EXPIRED } from "../../../../infra/queue/claim.ts";
import { createJsonLinesDeadLetters } from "../../../../infra/queue/letters/json-lines.ts";
import { checkedOutCommit, createRecorder, type Recorder } from "../../../../infra/queue/letters/recorder.ts";
import { LEDGER_LIMITS } from "../../../../infra/queue/limits.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../../../shared/function/backoff.ts";
import type { AttemptRecord } from "../../../../shared/runtime/attempt-record.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Lease, Outcome, Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { type VirtualClock, virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { POOL_KEY } from "../../../support/letters.ts";
import { silentLog } from "../../../support/silent-log.ts";

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

const RECORD: AttemptRecord = {
  runId: "r1",
  startedAt: new Date("2026-01-01T00:00:00Z"),
  durationMs: 5,
  reads: [],
  writes: [],
  accepted: false,
};

interface World extends AsyncDisposable {
  readonly recorder: Recorder;
  readonly clock: VirtualClock;
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
}

/** The file cannot be written, so everything stays in memory. `refuse` may throw instead of a letter being stored. */
async function create(refuse: () => Promise<void> = async () => undefined): Promise<World> {
  const clock = virtualClock();
  const memory = createJsonLinesDeadLetters({ file: "/dev/null/letters", clock, log: silentLog });
  const put = async (letter: DeadLetter): Promise<void> => {
    await refuse();
    await memory.put(letter);
  };
  const deadLetters: DeadLetters = { ...memory, put };
  const recorder = createRecorder({ deadLetters, functions: [], clock, log: silentLog });
  const timing = { leaseMs: 30_000, renewMs: 60 * MINUTE };
  const queue = await createMemoryQueue({ clock, timing, noteFailure: recorder.noteFailure });
  return {
    clock,
    queue,
    recorder,
    deadLetters,
    [Symbol.asyncDispose]: async () => {
      await queue[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
    },
  };
}

/** The letter comes before the death. */
async function untilDead({ clock, queue, deadLetters }: World, times = 1): Promise<void> {
  // Letters take real time, attempts take virtual time.
  const isDead = async (): Promise<boolean> => {
    await setTimeout(1);
    return (await queue.depth(AT.function)).dead === 1 && (await deadLetters.get(AT))?.times === times;
  };
  await eventually(isDead, { clock, withinMs: 10 * MINUTE, stepMs: 100 });
}

/** Tries a dead key once more, until it is dead again with so many failures. */
async function tryAgain({ clock, queue }: World, failures: number): Promise<void> {
  await clock.advance(LEDGER_LIMITS.slowMaxMs);
  const isDead = async (): Promise<boolean> => {
    await setTimeout(1);
    const state = await queue.keyState(AT.function, POOL_KEY);
    return state?.state === "dead" && state.failures === failures;
  };
  await eventually(isDead, { clock, withinMs: MINUTE, stepMs: 100 });
}

async function runUntilDead(world: World, run: (lease: Lease) => Promise<Outcome>): Promise<void> {
  await world.queue.work(AT.function, OPTIONS, run);
  await world.queue.enqueue(AT.function, [{ key: POOL_KEY, priority: "live", cause: { what: "Node n1" } }]);
  await untilDead(world);
}

describe("the recorder of dead letters", () => {
  it("Q-09, Q-35: writes one letter when the attempts are used up, with all of them", async () => {
    await using world = await create();
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

  it("leaves other keys alone", async () => {
    await using world = await create();
    const ran: string[] = [];
    await runUntilDead(world, async ({ key }) => {
      ran.push(key);
      return key === OTHER ? { type: "ok", requested: false, fences: [] } : ERROR;
    });
    await world.queue.enqueue(AT.function, [{ key: OTHER, priority: "live" }]);
    await eventually(() => ran.includes(OTHER), { clock: world.clock, withinMs: 1_000 });
  });

  it("writes a letter at once for a terminal failure, and for a malformed key", async () => {
    await using world = await create();
    const failure = { class: "Terminal", reason: "MalformedKey", message: "no" } as const;
    await world.queue.work(AT.function, OPTIONS, async () => ({ ...ERROR, terminal: true, failure }));
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, priority: "live" }]);
    const hasLetter = async () => (await world.deadLetters.get(AT)) !== undefined;
    await eventually(hasLetter, { clock: world.clock, withinMs: MINUTE });
    expect(await world.deadLetters.get(AT)).toMatchObject({ reason: "Malformed", attempts: [{}] });
  });

  it("Q-13: writes a letter for a key whose workers hang until their leases expire", async () => {
    await using world = await create();
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

  it("Q-10: a letter is kept through the slow lane, and dropped by a person it stays so until its key is revived", async () => {
    await using world = await create();
    await runUntilDead(world, async () => ERROR);
    await tryAgain(world, 4);
    expect(await world.deadLetters.get(AT)).toMatchObject({
      times: 1,
      attempts: [{}, {}, {}, { failures: 4 }],
    });
    await world.deadLetters.drop(AT.function, [POOL_KEY]);
    await tryAgain(world, 5);
    expect(await world.deadLetters.get(AT)).toBeUndefined();
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, priority: "live" }]);
    await untilDead(world, 1);
  });

  it("Q-10: a live event revives the key; dying again counts", async () => {
    await using world = await create();
    await runUntilDead(world, async () => ERROR);
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, priority: "live" }]);
    await untilDead(world, 2);
  });

  it("a worker that comes back after its lease completes the letter that another worker has written", async () => {
    await using world = await create();
    const { noteFailure } = world.recorder;
    const since = new Date("2026-01-01T00:00:00Z");
    const death = { reason: "LeaseExpired", priority: "live", since } as const;
    const expired = { ...AT, owner: "w/1", failure: LEASE_EXPIRED, failures: 3, retries: 0, causes: [] };
    await noteFailure({ ...expired, death });
    expect((await world.deadLetters.get(AT))?.run).toBeUndefined();
    await noteFailure({ ...expired, owner: "w/0", fenced: true, record: RECORD });
    expect((await world.deadLetters.get(AT))?.run).toBeUndefined();
    await noteFailure({ ...expired, fenced: true, record: RECORD });
    expect(await world.deadLetters.get(AT)).toMatchObject({
      times: 1,
      deadSince: since.toISOString(),
      attempts: [{ owner: "w/1" }],
      run: { reads: [], writes: [] },
    });
  });

  it("keeps the existing letter when a death is reported again, after its writer was killed", async () => {
    await using world = await create();
    const { noteFailure } = world.recorder;
    const death = {
      reason: "MaxAttempts",
      priority: "live",
      since: new Date("2026-01-01T00:00:00Z"),
    } as const;
    const { failure } = ERROR;
    const run = {
      ...AT,
      owner: "w/1",
      failure,
      failures: 3,
      retries: 0,
      causes: [{ what: "Node n1" }],
      death,
    };
    await noteFailure({ ...run, record: RECORD });
    const letter = await world.deadLetters.get(AT);
    expect(letter?.run).toBeDefined();
    await noteFailure({ ...run, causes: [] });
    expect(await world.deadLetters.get(AT)).toEqual(letter);
  });

  it("Q-09: a key whose letter cannot be stored does not die before it is", async () => {
    let full: boolean = true;
    let tries = 0;
    const refuse = async (): Promise<void> => {
      tries += 1;
      if (full) throw new Error("OOM command not allowed");
    };
    await using world = await create(refuse);
    await world.queue.work(AT.function, { ...OPTIONS, attempts: 1 }, async () => ({
      ...ERROR,
      record: RECORD,
    }));
    await world.queue.enqueue(AT.function, [{ key: POOL_KEY, priority: "live" }]);
    const isTriedAgain = async (): Promise<boolean> => {
      await world.clock.advance(1_000);
      return tries > 1;
    };
    await eventually(isTriedAgain, { withinMs: 20_000, stepMs: 1 });
    expect(await world.queue.dead(AT.function)).toEqual([]);
    expect(await world.queue.depth(AT.function)).toMatchObject({ running: 1, dead: 0 });
    full = false;
    await untilDead(world);
    expect(await world.deadLetters.get(AT)).toMatchObject({ times: 1, run: { reads: [] } });
  });

  it("writes a letter without the run when what it decided cannot be written down", async () => {
    await using world = await create();
    const circular: { self?: object } = {};
    circular.self = circular;
    const outcome = { ...ERROR, terminal: true, record: { ...RECORD, decision: circular } };
    await runUntilDead(world, async () => outcome);
    const letter = await world.deadLetters.get(AT);
    expect(letter).toMatchObject({ attempts: [{ error: { reason: "Broken" } }] });
    expect(letter?.run).toBeUndefined();
  });
});

const run = promisify(execFile);
const WHO = ["-c", "user.name=test", "-c", "user.email=test@example.com"];

/** A repository with one commit in a folder of its own. */
async function repository() {
  const folder = await mkdtempDisposable(join(tmpdir(), "capstan-git-"));
  const root = join(folder.path, "clone");
  const git = async (...args: string[]) => (await run("git", ["-C", root, ...WHO, ...args])).stdout.trim();
  await run("git", ["init", "-q", root]);
  await git("commit", "-q", "--allow-empty", "-m", "first");
  return { root, git, sha: await git("rev-parse", "HEAD"), [Symbol.asyncDispose]: () => folder.remove() };
}

describe("the checked out commit", () => {
  it("is that of the branch", async () => {
    await using world = await repository();
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a branch that git has packed", async () => {
    await using world = await repository();
    await world.git("pack-refs", "--all");
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a detached HEAD", async () => {
    await using world = await repository();
    await world.git("checkout", "-q", "--detach");
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a branch in another worktree", async () => {
    await using world = await repository();
    const beside = join(world.root, "..", "beside");
    await world.git("worktree", "add", "-q", "-b", "other", beside);
    await world.git("commit", "-q", "--allow-empty", "-m", "second");
    expect(await checkedOutCommit(beside)).toBe(world.sha);
  });

  it("is unknown where git is not used", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-git-"));
    expect(await checkedOutCommit(folder.path)).toBe(undefined);
  });
});
