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
