import { expect, it } from "vitest";
import { loadLedgerHost } from "../../../infra/queue/backends/embedded/embedded-ledger.ts";
import { LEDGER_LIMITS } from "../../../infra/queue/limits.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import type { Priority } from "../../../shared/runtime/queue/queue-port.ts";
import { createKernel } from "../kernel/kernel.ts";
import { createSharedLedger } from "./shared-ledger.ts";
import { createSharedQueue } from "./shared-queue.ts";
import { createSharedTokens } from "./shared-tokens.ts";

const FUNCTION = "machinepool-sync";
const BACKLOG = 500;
const RUN_MS = 100;
const WORKERS = 4;
/** How long an event of the quiet tenant waits for others of its key. */
const SETTLE_MS = 200;
/**
 * While all workers run keys of the backlog, the next one to end takes the key. Those that end in the instant in which it
 * is due may do so before the tick that finds it: then it is the next but one.
 */
const BOUND_MS = 2 * RUN_MS;
const QUIET_KEYS = 20;
const EVERY_MS = 270;
const silent = () => undefined;

/** State that X-46 leaves when its keys wait longer than `agingMs`. */
async function waitsBesideBacklogOf(priorities: readonly Priority[], seed: number) {
  const kernel = createKernel({ seed });
  const tokens = createSharedTokens(kernel);
  const ledger = createSharedLedger(kernel, await loadLedgerHost());
  const process = kernel.process("worker");
  const { clock } = process;
  const queue = createSharedQueue({
    process,
    ledger: ledger.of(process),
    tokens,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    noteFailure: async () => undefined,
  });
  const keys = (tenant: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${tenant}/c|MachinePool|${tenant}/p${n}` as const);
  const order: string[] = [];
  const askedAt = new Map<string, number>();
  const waitedMs: number[] = [];
  ledger.onClaim((_, { key }) => {
    order.push(key);
    const at = askedAt.get(key);
    if (at !== undefined) waitedMs.push(kernel.now - at);
  });
  void queue.pause(FUNCTION);
  await kernel.run(1);
  for (const priority of priorities) {
    const noisy = keys(`noisy-${priority}`, BACKLOG).map((key) => ({ key, priority }));
    void queue.enqueue(FUNCTION, noisy);
  }
  // Without a worker the ledger looks at its keys once a minute.
  await kernel.run(3 * LEDGER_LIMITS.agingMs);
  const options = { ...DEFAULT_QUEUE, concurrency: WORKERS, owner: "worker" };
  void queue.work(FUNCTION, options, async () => {
    await new Promise<void>((resolve) => clock.after(RUN_MS, resolve));
    return { type: "ok", requested: false, fences: [] };
  });
  void queue.resume(FUNCTION);
  for (const key of keys("quiet", QUIET_KEYS)) {
    await kernel.run(EVERY_MS);
    askedAt.set(key, kernel.now);
    void queue.enqueue(FUNCTION, [{ key, priority: "live", delayMs: SETTLE_MS }]);
  }
  await kernel.run(60_000, () => waitedMs.length === QUIET_KEYS);
  return { waitedMs, left: priorities.length * BACKLOG - (order.length - QUIET_KEYS) };
}

it.each([[["live"]], [["resync"]], [["live", "resync"]]] as const)(
  "Q-11, Q-12: a live key starts when it has settled, beside a backlog of another tenant's %s keys older than a minute",
  async (priorities) => {
    for (const seed of [1, 2, 3]) {
      const { waitedMs, left } = await waitsBesideBacklogOf(priorities, seed);
      expect(waitedMs).toHaveLength(QUIET_KEYS);
      expect(Math.max(...waitedMs)).toBeLessThanOrEqual(SETTLE_MS + BOUND_MS);
      // Otherwise nothing was in the way.
      expect(left).toBeGreaterThan(BACKLOG / 10);
    }
  },
);
