import { expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createJsonLinesDeadLetters } from "../../infra/queue/letters/json-lines.ts";
import { createRecorder } from "../../infra/queue/letters/recorder.ts";
import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { silentLog } from "../support/silent-log.ts";
import { HOUR } from "./queue-world.ts";

const LEASE_MS = 300;
const TIMING = { leaseMs: LEASE_MS, renewMs: HOUR, runTimeoutMs: HOUR, drainMs: 100 };
const KEY = "default/-|MachinePool|default/p1";

interface ProcessOptions {
  readonly clock: Clock;
  readonly timing: typeof TIMING;
  readonly noteFailure: NoteFailure;
}

/** Of a process whose runs have been killed with it, until it is revived: none sees its lease end. */
function deadlyClock() {
  let isDead = true;
  const clock: Clock = {
    now: systemClock.now,
    after: (ms, callback) => (isDead && ms >= LEASE_MS ? () => undefined : systemClock.after(ms, callback)),
  };
  const revive = (): void => {
    isDead = false;
  };
  return { clock, revive };
}

/** The dead letter of a key whose workers are killed, on every queue that processes share. */
export function killedWorkersSuite(open: (options: ProcessOptions) => Promise<Queue>): void {
  it("Q-13: the letter of a key that six workers did not survive holds the last five runs and the first failure", async () => {
    await using stack = new AsyncDisposableStack();
    const [clock, log] = [systemClock, silentLog];
    const deadLetters = createJsonLinesDeadLetters({ file: "/dev/null/letters", clock, log });
    const { noteFailure } = stack.use(createRecorder({ deadLetters, functions: [], clock, log }));
    const { clock: deadly, revive } = deadlyClock();
    const killed = stack.use(await open({ clock: deadly, timing: TIMING, noteFailure }));
    stack.defer(revive);
    const survivor = stack.use(await open({ clock, timing: TIMING, noteFailure }));
    const functionName = "f-killed";
    // Its process ticks, and works for no function.
    await survivor.depth(functionName);
    const claims: Date[] = [];
    const options = { ...DEFAULT_QUEUE, attempts: 6, owner: "killed" };
    await killed.work(functionName, options, () => {
      claims.push(clock.now());
      return new Promise(() => undefined);
    });
    const before = clock.now();
    await survivor.enqueue(functionName, [{ key: KEY, priority: "live" }]);
    const at = { function: functionName, key: KEY };
    await eventually(async () => expect(await deadLetters.get(at)).toBeDefined(), { withinMs: HANG_MS });
    const letter = await deadLetters.get(at);
    expect(claims).toHaveLength(6);
    expect(letter).toMatchObject({ reason: "LeaseExpired" });
    expect(letter?.attempts.map(({ failures, error, owner }) => [failures, error.reason, owner])).toEqual(
      [2, 3, 4, 5, 6].map((failures) => [failures, "LeaseExpired", expect.stringMatching(/^killed\//)]),
    );
    // Claimed on Redis just before its worker heard of it, on the same machine.
    const first = Date.parse(letter?.firstFailureAt ?? "");
    expect(first).toBeGreaterThanOrEqual(before.getTime() - 50);
    expect(first).toBeLessThanOrEqual((claims[0]?.getTime() ?? 0) + 50);
    const starts = letter?.attempts.map(({ start }) => Date.parse(start)) ?? [];
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    for (const { durationMs } of letter?.attempts ?? []) expect(durationMs).toBeGreaterThanOrEqual(LEASE_MS);
  });
}
