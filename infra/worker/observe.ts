import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { ReadHistory } from "../../shared/runtime/last-run.ts";
import type { Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue-port.ts";
import type { Relay } from "../relay/relay.ts";
import { type LedgerMeter, meterLedger } from "../telemetry/ledger-metrics.ts";
import { meterDepths, meterQueue } from "../telemetry/metered-queue.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { viewQueue } from "../telemetry/queue-view.ts";
import { meterRelay } from "../telemetry/relay-metrics.ts";
import { startEndpoints } from "./endpoints.ts";
import type { LoopbackAddress } from "./loopback-address.ts";
import type { Worker } from "./worker.ts";

export interface ObserveOptions {
  readonly address: LoopbackAddress;
  readonly functions: readonly AnyFunction[];
  readonly queue: Queue;
  readonly history: ReadHistory;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Parts that this process is going to have; it is not ready before they have started. */
  readonly parts: { readonly relay: boolean; readonly worker: boolean };
}

/** A process that can be looked at from outside while its parts start, work and stop. */
export interface Observed extends AsyncDisposable, LedgerMeter {
  readonly url: string;
  /** The queue to work with: the same one, measured. */
  readonly queue: Queue;
  relayStarted(relay: Relay): void;
  workerStarted(worker: Worker): void;
}

/** Starts the endpoints before the parts that they report on, and ends after those parts. */
export async function observe(options: ObserveOptions): Promise<Observed> {
  const { address, functions, queue, history, store, clock, log, version, parts } = options;
  const names = functions.map(({ spec }) => spec.name);
  const metrics = await createMetrics(names);
  const view = viewQueue(queue, names, clock);
  const metered = meterQueue(queue, { metrics });
  meterDepths(view, metrics);
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
  const endpoints = await startEndpoints({ address, metrics, health, history, log });
  return {
    url: endpoints.url,
    queue: metered.queue,
    ...meterLedger(metrics, names),
    relayStarted(started) {
      relay = started;
      meterRelay(started, metrics, clock);
    },
    workerStarted(started) {
      worker = started;
    },
    [Symbol.asyncDispose]: () => endpoints[Symbol.asyncDispose](),
  };
}
