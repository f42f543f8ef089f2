import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { meterLedger } from "../../../../infra/worker/telemetry/ledger-metrics.ts";
import { meterDepths, meterQueue } from "../../../../infra/worker/telemetry/metered-queue.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { viewQueue } from "../../../../infra/worker/telemetry/scale-view.ts";
import { DEFAULT_QUEUE } from "../../../../shared/function/backoff.ts";
import type { Lease, Outcome, Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";

const FN = "machinepool-nodes";
const A = "default/-|MachinePool|default/secret-name-a";
const B = "default/-|MachinePool|default/secret-name-b";
const OK: Outcome & { readonly type: "ok" } = { type: "ok", requested: false, fences: [] };

function failed(reason: string, terminal = false): Outcome {
  const failure = { class: terminal ? "Terminal" : "Transient", reason, message: "no" } as const;
  return { type: "error", failure, terminal, requested: false, fences: [] };
}

async function openWorld(inner?: (queue: Queue) => Queue) {
  const clock = virtualClock();
  const metrics = await createMetrics([FN]);
  const memory = await createMemoryQueue({
    clock,
    random: () => 0,
    noteFailure: meterLedger(metrics, []).noteFailure,
  });
  const raw = inner?.(memory) ?? memory;
  const { queue, refusals } = meterQueue(raw, { metrics, nowMs: () => clock.now().getTime() });
  meterDepths(viewQueue(raw, [FN], clock), metrics);
  return {
    clock,
    queue,
    refusals,
    text: () => metrics.text(),
    /** Runs every key as `run` says; the queue works with two attempts per key. */
    work: (run: (lease: Lease) => Promise<Outcome>) =>
      queue.work(FN, { ...DEFAULT_QUEUE, attempts: 2, owner: "w" }, run),
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };
}

describe("a measured queue", () => {
  it("shows when the first certificate of its server ends, also while the server is away; nothing without TLS", async () => {
    const certificateEndsAt = new Date("2027-11-28T00:00:00Z");
    await using secure = await openWorld((queue) => ({
      ...queue,
      healthy: () => ({ ok: false, message: "away", certificateEndsAt }),
    }));
    await using plain = await openWorld();
    const shown = /^capstan_certificate_expiration_timestamp_seconds{certificate="queue"} (.+)$/m;
    expect(Number(shown.exec(await secure.text())?.[1])).toBe(certificateEndsAt.getTime() / 1_000);
    expect(await plain.text()).not.toMatch(shown);
  });

  it("counts runs by how they end, as controller-runtime does", async () => {
    await using world = await openWorld();
    const outcomes: Outcome[] = [
      { type: "retry", afterMs: 1, fences: [] },
      { ...OK, afterMs: 50 },
      failed("TypeError"),
      OK,
    ];
    await using _worker = await world.work(async () => outcomes.shift() ?? OK);
    await world.queue.enqueue(FN, [{ key: A, priority: "live" }]);
    await eventually(() => outcomes.length === 0, { withinMs: 5_000, clock: world.clock });
    await world.clock.advance(1);
    const text = await world.text();
    for (const [result, count] of [
      ["success", 1],
      ["error", 1],
      ["requeue", 1],
      ["requeue_after", 1],
    ]) {
      expect(text).toContain(
        `controller_runtime_reconcile_total{controller="${FN}",result="${result}"} ${count}\n`,
      );
    }
    expect(text).toContain(`controller_runtime_reconcile_errors_total{controller="${FN}"} 1\n`);
    expect(text).toContain(`controller_runtime_terminal_reconcile_errors_total{controller="${FN}"} 0\n`);
    expect(text).toContain(`controller_runtime_reconcile_panics_total{controller="${FN}"} 1\n`);
    expect(text).toContain(`workqueue_retries_total{name="${FN}",controller="${FN}"} 2\n`);
    expect(text).toContain(`capstan_queue_barrier_waits_total{function="${FN}"} 1\n`);
    expect(text).toContain(`workqueue_adds_total{name="${FN}",controller="${FN}"} 1\n`);
    expect(text).toContain(`workqueue_work_duration_seconds_count{name="${FN}",controller="${FN}"} 4\n`);
  });

  it("shows why keys died: for good at once, or after their attempts", async () => {
    await using world = await openWorld();
    await using _worker = await world.work(async ({ key }) => failed("Broken", key === A));
    await world.queue.enqueue(
      FN,
      [A, B].map((key) => ({ key, priority: "live" })),
    );
    await eventually(async () => (await world.queue.depth(FN)).dead === 2, {
      withinMs: 60_000,
      clock: world.clock,
    });
    const text = await world.text();
    expect(text).toContain(`capstan_queue_dead_total{function="${FN}",reason="Terminal"} 1\n`);
    expect(text).toContain(`capstan_queue_dead_total{function="${FN}",reason="MaxAttempts"} 1\n`);
    expect(text).toContain(`capstan_queue_dead_keys{function="${FN}"} 2\n`);
    expect(text).not.toContain("secret-name");
  });

  it("shows runs in progress, how old they are, and keys that wait for their time", async () => {
    await using world = await openWorld();
    const hold = Promise.withResolvers<Outcome>();
    await using _worker = await world.work(({ key }) => (key === A ? hold.promise : Promise.resolve(OK)));
    await world.queue.enqueue(FN, [
      { key: A, priority: "live" },
      { key: B, priority: "live", delayMs: 60_000 },
    ]);
    await world.clock.advance(3_000);
    const during = await world.text();
    expect(during).toContain(`controller_runtime_active_workers{controller="${FN}"} 1\n`);
    expect(during).toContain(`controller_runtime_max_concurrent_reconciles{controller="${FN}"} 10\n`);
    expect(during).toContain(`workqueue_unfinished_work_seconds{name="${FN}",controller="${FN}"} 3\n`);
    expect(during).toContain(
      `workqueue_longest_running_processor_seconds{name="${FN}",controller="${FN}"} 3\n`,
    );
    expect(during).toContain(`capstan_queue_waiting{function="${FN}"} 1\n`);
    hold.resolve(OK);
    await world.clock.advance(1);
    expect(await world.text()).toContain(`controller_runtime_active_workers{controller="${FN}"} 0\n`);
  });

  it("shows ready keys by priority and how long they wait, where the queue reports it", async () => {
    const counts = {
      ready: 5,
      readyResync: 3,
      waiting: 0,
      running: 0,
      dead: 0,
      oldestReadyMs: { live: 1_500 },
    };
    const depth = { ...counts, paused: true, breakerOpen: true, deadEvicted: 4 };
    await using world = await openWorld((queue) => ({ ...queue, depth: async () => depth }));
    const text = await world.text();
    expect(text).toContain(`workqueue_depth{name="${FN}",controller="${FN}",priority="0"} 2\n`);
    expect(text).toContain(`workqueue_depth{name="${FN}",controller="${FN}",priority="-100"} 3\n`);
    expect(text).toContain(`capstan_queue_paused{function="${FN}"} 1\n`);
    expect(text).toContain(`capstan_queue_breaker_open{function="${FN}"} 1\n`);
    expect(text).toContain(`capstan_queue_dead_evicted_keys{function="${FN}"} 4\n`);
    expect(text).toContain(`capstan_queue_oldest_ready_seconds{function="${FN}",class="live"} 1.5\n`);
  });

  it("observes how long keys were ready, where the lease says so", async () => {
    await using world = await openWorld((queue) => ({
      ...queue,
      work: (name, options, run) => queue.work(name, options, (lease) => run({ ...lease, readyMs: 250 })),
    }));
    let runs = 0;
    await using _worker = await world.work(async () => {
      runs += 1;
      return OK;
    });
    await world.queue.enqueue(FN, [{ key: A, priority: "live" }]);
    await eventually(() => runs === 1, { withinMs: 5_000, clock: world.clock });
    expect(await world.text()).toContain(
      `workqueue_queue_duration_seconds_sum{name="${FN}",controller="${FN}"} 0.25\n`,
    );
  });

  it("forgets depths that it cannot see, and says so", async () => {
    const state: { away: boolean } = { away: false };
    await using world = await openWorld((queue) => ({
      ...queue,
      depth: async (name) => {
        if (state.away) throw new Error("Connection is closed.");
        return queue.depth(name);
      },
    }));
    expect(await world.text()).toContain("capstan_queue_reachable 1\n");
    state.away = true;
    const text = await world.text();
    expect(text).toContain("capstan_queue_reachable 0\n");
    expect(text).not.toContain("workqueue_depth{");
  });

  it("remembers that keys were refused until keys are taken", async () => {
    const state: { full: boolean } = { full: true };
    await using world = await openWorld((queue) => ({
      ...queue,
      enqueue: async (name, entries) => {
        if (state.full) throw new Error("OOM command not allowed");
        await queue.enqueue(name, entries);
      },
    }));
    await expect(world.queue.enqueue(FN, [{ key: A, priority: "live" }])).rejects.toThrow("OOM");
    expect([...world.refusals]).toEqual([[FN, "OOM command not allowed"]]);
    state.full = false;
    await world.queue.enqueue(FN, [{ key: A, priority: "live" }]);
    expect([...world.refusals]).toEqual([]);
    expect(await world.text()).toContain(`capstan_queue_refused_total{function="${FN}"} 1\n`);
  });

  it("hands on what a run throws, and counts it as a defect", async () => {
    const run = Promise.withResolvers<(lease: Lease) => Promise<Outcome>>();
    await using world = await openWorld((queue) => ({
      ...queue,
      work: async (_name, _options, given) => {
        run.resolve(given);
        return { [Symbol.asyncDispose]: async () => undefined };
      },
    }));
    await using _worker = await world.work(async () => {
      throw new Error("bug");
    });
    const lease = {
      key: A,
      runId: "r1",
      causes: [],
      failures: 0,
      retries: 0,
      fences: [],
      signal: new AbortController().signal,
    };
    await expect((await run.promise)(lease)).rejects.toThrow("bug");
    expect(await world.text()).toContain(`controller_runtime_reconcile_panics_total{controller="${FN}"} 1\n`);
  });
});
