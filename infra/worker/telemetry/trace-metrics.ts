import type { Clients } from "../../../shared/runtime/ports.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { TraceEvent } from "../../relay/delivery/trace-event.ts";
import type { Metrics } from "./metrics.ts";

/** The part of tracing that is measured. */
export interface TracedSpans {
  /** Spans that the collector did not get so far. */
  droppedSpans(): number;
}

/** Shows how many spans were lost; a process that does not trace has no such metric. */
export function meterTraces(traces: TracedSpans, metrics: Metrics): void {
  let counted = 0;
  metrics.onScrape(() => {
    const dropped = traces.droppedSpans();
    metrics.add("capstan_trace_dropped_spans_total", {}, dropped - counted);
    counted = dropped;
  });
}

/** Passes the parts of a process through, so that they are traced. */
export interface Tracing extends TracedSpans {
  /** Traces an event for the relay; undefined where events are not traced. */
  readonly traceEvent: TraceEvent | undefined;
  /** Returns the same queue; its runs are traced. */
  queue(queue: Queue): Queue;
  /** Returns the same clients; requests of runs are traced. */
  clients(clients: Clients): Clients;
}
