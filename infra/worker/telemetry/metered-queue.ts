import { messageOf } from "../../../shared/function/errors.ts";
import type {
  Lease,
  Outcome,
  Queue,
  QueueDepth,
  WorkOptions,
} from "../../../shared/runtime/queue/queue-port.ts";
import { PRIORITY } from "./metric-labels.ts";
import { type Metrics, showCertificateEnd } from "./metrics.ts";
import type { QueueView } from "./scale-view.ts";

export interface MeteredQueueOptions {
  readonly metrics: Metrics;
  /** A clock that never goes back, in ms. */
  readonly nowMs?: () => number;
}

/** A queue that is measured from outside, and the results of the last calls of `enqueue`. */
export interface MeteredQueue {
  readonly queue: Queue;
  /** Reason why the queue refused the last keys of a function; cleared by the next keys that it takes. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Reasons of runs that ended by a defect of the code: names of JavaScript errors. */
const DEFECTS: ReadonlySet<string> = new Set([
  "Error",
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "URIError",
  "AggregateError",
  "ZodError",
  "RunnerFailed",
  "Unknown",
]);

/**
 * Returns the same queue with counters: enqueued keys, runs, their results and durations. Neither the ledger
 * nor a function sees them. The numbers of the whole queue come from `meterDepths`.
 */
export function meterQueue(
  queue: Queue,
  { metrics, nowMs = () => performance.now() }: MeteredQueueOptions,
): MeteredQueue {
  const refusals = new Map<string, string>();
  const meters = new Map<string, RunMeter>();
  const meterOf = (name: string): RunMeter => {
    const meter = meters.get(name) ?? new RunMeter(name, metrics, nowMs);
    meters.set(name, meter);
    return meter;
  };
  metrics.onScrape(() => {
    const { ok, certificateEndsAt } = queue.healthy();
    metrics.set("capstan_queue_healthy", {}, ok ? 1 : 0);
    if (certificateEndsAt !== undefined) showCertificateEnd(metrics, "queue", certificateEndsAt);
    for (const meter of meters.values()) meter.showRunning();
  });
  const metered: Queue = {
    ...queue,
    enqueue: async (name, entries) => {
      try {
        await queue.enqueue(name, entries);
        refusals.delete(name);
        metrics.add("workqueue_adds_total", { name, controller: name }, entries.length);
      } catch (error) {
        refusals.set(name, messageOf(error));
        metrics.add("capstan_queue_refused_total", { function: name });
        throw error;
      }
    },
    work: (name, options, run) => queue.work(name, options, meterOf(name).wrap(options, run)),
  };
  return { queue: metered, refusals };
}

/** The runs of one function in this process. */
class RunMeter {
  readonly #name: string;
  readonly #metrics: Metrics;
  readonly #nowMs: () => number;
  readonly #startedAt = new Set<{ readonly ms: number }>();

  constructor(name: string, metrics: Metrics, nowMs: () => number) {
    this.#name = name;
    this.#metrics = metrics;
    this.#nowMs = nowMs;
    // Starts at 0, so that the first failure is an increase.
    for (const result of ["success", "error", "requeue", "requeue_after"]) this.#count(result, 0);
    for (const counter of [
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_terminal_reconcile_errors_total",
      "controller_runtime_reconcile_panics_total",
    ] as const) {
      metrics.add(counter, { controller: name }, 0);
    }
    metrics.add("workqueue_retries_total", { name, controller: name }, 0);
    metrics.add("capstan_queue_barrier_waits_total", { function: name }, 0);
  }

  wrap(
    { concurrency, attempts }: WorkOptions,
    run: (lease: Lease) => Promise<Outcome>,
  ): (lease: Lease) => Promise<Outcome> {
    this.#metrics.set(
      "controller_runtime_max_concurrent_reconciles",
      { controller: this.#name },
      concurrency,
    );
    return async (lease) => {
      const started = { ms: this.#nowMs() };
      this.#startedAt.add(started);
      const labels = { name: this.#name, controller: this.#name };
      if (lease.readyMs !== undefined) {
        this.#metrics.observe("workqueue_queue_duration_seconds", labels, lease.readyMs / 1_000);
      }
      try {
        const outcome = await run(lease);
        this.#ended(outcome, lease.failures + 1 >= attempts);
        return outcome;
      } catch (error) {
        this.#failed("RunnerFailed", { terminal: false, last: lease.failures + 1 >= attempts });
        throw error;
      } finally {
        this.#startedAt.delete(started);
        const seconds = (this.#nowMs() - started.ms) / 1_000;
        this.#metrics.observe("workqueue_work_duration_seconds", labels, seconds);
        this.#metrics.observe(
          "controller_runtime_reconcile_time_seconds",
          { controller: this.#name },
          seconds,
        );
      }
    };
  }

  showRunning(): void {
    const now = this.#nowMs();
    const ages = [...this.#startedAt].map(({ ms }) => (now - ms) / 1_000);
    const labels = { name: this.#name, controller: this.#name };
    const sum = ages.reduce((total, age) => total + age, 0);
    this.#metrics.set("controller_runtime_active_workers", { controller: this.#name }, ages.length);
    this.#metrics.set("workqueue_unfinished_work_seconds", labels, sum);
    this.#metrics.set("workqueue_longest_running_processor_seconds", labels, Math.max(0, ...ages));
  }

  #ended(outcome: Outcome, last: boolean): void {
    switch (outcome.type) {
      case "ok":
        this.#count(outcome.afterMs === undefined ? "success" : "requeue_after");
        break;
      case "retry":
        this.#count("requeue");
        this.#retried();
        this.#metrics.add("capstan_queue_barrier_waits_total", { function: this.#name });
        break;
      case "error":
        this.#failed(outcome.failure.reason, { terminal: outcome.terminal, last });
        break;
      default:
        outcome satisfies never;
    }
  }

  #failed(reason: string, { terminal, last }: { readonly terminal: boolean; readonly last: boolean }): void {
    const labels = { controller: this.#name };
    this.#count("error");
    this.#metrics.add("controller_runtime_reconcile_errors_total", labels);
    if (terminal) this.#metrics.add("controller_runtime_terminal_reconcile_errors_total", labels);
    if (DEFECTS.has(reason)) this.#metrics.add("controller_runtime_reconcile_panics_total", labels);
    if (!terminal && !last) this.#retried();
  }

  #retried(): void {
    this.#metrics.add("workqueue_retries_total", { name: this.#name, controller: this.#name });
  }

  #count(result: string, by = 1): void {
    this.#metrics.add("controller_runtime_reconcile_total", { controller: this.#name, result }, by);
  }
}

/** Shows the depth of every function at each scrape; a function whose depth is not known is left out. */
export function meterDepths(view: QueueView, metrics: Metrics): void {
  metrics.onScrape(async () => {
    const depths = await view.depths();
    for (const gauge of DEPTH_GAUGES) metrics.clear(gauge);
    metrics.set("capstan_queue_reachable", {}, depths.every(({ depth }) => depth !== undefined) ? 1 : 0);
    for (const { functionName, depth } of depths) {
      if (depth !== undefined) showDepth(functionName, depth, metrics);
    }
  });
}

function showDepth(functionName: string, depth: QueueDepth, metrics: Metrics): void {
  const name = { name: functionName, controller: functionName };
  const own = { function: functionName };
  const { ready, waiting, dead, readyResync = 0, oldestReadyMs = {}, deadEvicted = 0, tickLagMs = 0 } = depth;
  metrics.set("workqueue_depth", { ...name, priority: PRIORITY.live }, ready - readyResync);
  metrics.set("workqueue_depth", { ...name, priority: PRIORITY.resync }, readyResync);
  metrics.set("capstan_queue_waiting", own, waiting);
  metrics.set("capstan_queue_dead_keys", own, dead);
  metrics.set("capstan_queue_dead_evicted_keys", own, deadEvicted);
  metrics.set("capstan_queue_paused", own, depth.paused === true || depth.pausedInBullmq === true ? 1 : 0);
  metrics.set("capstan_queue_tick_lag_seconds", own, tickLagMs / 1_000);
  metrics.set("capstan_queue_breaker_open", own, depth.breakerOpen === true ? 1 : 0);
  for (const priority of ["live", "resync"] as const) {
    const ms = ready === 0 ? 0 : oldestReadyMs[priority];
    if (ms !== undefined)
      metrics.set("capstan_queue_oldest_ready_seconds", { ...own, class: priority }, ms / 1_000);
  }
}

const DEPTH_GAUGES = [
  "workqueue_depth",
  "capstan_queue_waiting",
  "capstan_queue_dead_keys",
  "capstan_queue_dead_evicted_keys",
  "capstan_queue_paused",
  "capstan_queue_breaker_open",
  "capstan_queue_tick_lag_seconds",
  "capstan_queue_oldest_ready_seconds",
] as const;
