import { SECOND } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { ReadHistory, RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { cachedFor } from "../platform/cached-answers.ts";
import type { Relay } from "../relay/relay.ts";
import { type DiagnosticsOptions, startDiagnostics } from "./diagnostics/diagnostics.ts";
import { pageOf, startEndpoints } from "./endpoints.ts";
import { unreadyReasons } from "./health.ts";
import type { LoopbackAddress } from "./loopback-address.ts";
import { type LedgerMeter, meterLedger } from "./telemetry/ledger-metrics.ts";
import { meterDepths, meterQueue } from "./telemetry/metered-queue.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { meterProcess, meterRequests, type NoteRequest } from "./telemetry/process-metrics.ts";
import { meterRelay, meterRollouts } from "./telemetry/relay-metrics.ts";
import { meterScale, viewQueue, viewScale } from "./telemetry/scale-view.ts";
import { meterTraces, type TracedSpans } from "./telemetry/trace-metrics.ts";
import type { Worker } from "./worker.ts";

export interface ObserveOptions {
  /** The address on loopback. */
  readonly address?: LoopbackAddress | undefined;
  /** The diagnostics beyond loopback. */
  readonly diagnostics?: Omit<DiagnosticsOptions, "metrics" | "page" | "clock" | "log"> | undefined;
  readonly functions: readonly AnyFunction[];
  readonly queue: Queue;
  readonly history: ReadHistory;
  readonly runs?: Pick<RunHistory, "runs"> | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Parts that this process is going to have; it is not ready before they have started. */
  readonly parts: { readonly relay: boolean; readonly worker: boolean };
}

/** A process that can be looked at from outside while its parts start, work and stop. */
export interface Observed extends AsyncDisposable, LedgerMeter {
  /** The URL of the endpoints on loopback. */
  readonly url: string | undefined;
  /** Port of the diagnostics. */
  readonly diagnosticsPort: number | undefined;
  /** The queue to work with: the same one, measured. */
  readonly queue: Queue;
  readonly noteRequest: NoteRequest;
  /** Whether it can do its work. Any client may ask: the answer is a second old at most, and asks no more often. */
  isReady(): Promise<boolean>;
  relayStarted(relay: Relay): void;
  workerStarted(worker: Worker): void;
  tracesStarted(traces: TracedSpans): void;
}

const READINESS_MS = SECOND;

/** Starts the listeners before the parts that they report on, and ends after those parts. */
export async function observe(options: ObserveOptions): Promise<Observed> {
  const { address, diagnostics, functions, queue, history, runs, store, clock, log, version, parts } =
    options;
  const names = functions.map(({ spec }) => spec.name);
  const metrics = await createMetrics(names);
  const view = viewQueue(queue, names, clock);
  const metered = meterQueue(queue, { metrics });
  meterDepths(view, metrics);
  meterProcess(metrics);
  // Only a relay knows all functions of a deployment, and one is always there.
  const scale = parts.relay ? viewScale(queue, functions, clock) : undefined;
  if (parts.relay) meterScale(view, functions, metrics);
  let relay: Relay | "starting" | undefined = parts.relay ? "starting" : undefined;
  let worker: Worker | "starting" | undefined = parts.worker ? "starting" : undefined;
  const health = {
    functions,
    queue,
    view,
    refusals: metered.refusals,
    store,
    clock,
    version,
    relay: () => relay,
    worker: () => worker,
  };
  const pages = { metrics, health, history, runs, scale };
  await using starting = new AsyncDisposableStack();
  const endpoints = address && starting.use(await startEndpoints({ ...pages, address, log }));
  const beyond =
    diagnostics &&
    starting.use(
      await startDiagnostics({ ...diagnostics, page: (at) => pageOf(pages, at), metrics, clock, log }),
    );
  const running = starting.move();
  return {
    url: endpoints?.url,
    diagnosticsPort: beyond?.port,
    isReady: cachedFor(READINESS_MS, clock, async () => (await unreadyReasons(health)).length === 0),
    queue: metered.queue,
    noteRequest: meterRequests(metrics),
    ...meterLedger(metrics, names),
    relayStarted(started) {
      relay = started;
      meterRelay(started, metrics, clock);
      meterRollouts(store, metrics, clock);
    },
    workerStarted(started) {
      worker = started;
    },
    tracesStarted: (started) => meterTraces(started, metrics),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
