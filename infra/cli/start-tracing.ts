import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { readTraceVariables } from "../platform/config.ts";
import type { Observed } from "../worker/observe.ts";
import type { Tracing } from "../worker/telemetry/traces/tracing.ts";

const UNTRACED: Tracing = {
  traceEvent: undefined,
  queue: (queue) => queue,
  clients: (clients) => clients,
  droppedSpans: () => 0,
};

interface TracingPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Shows what is lost. */
  readonly observed: Pick<Observed, "tracesStarted"> | undefined;
}

/** Begins to trace when OTEL_EXPORTER_OTLP_ENDPOINT is set. Else no code of traces is loaded. */
export async function startTracing(ports: TracingPorts, starting: AsyncDisposableStack): Promise<Tracing> {
  const variables = readTraceVariables();
  if (variables === undefined) return UNTRACED;
  const { openTraces } = await import("../worker/telemetry/traces/traces.ts");
  const traces = openTraces(variables, ports);
  if (traces === undefined) return UNTRACED;
  ports.observed?.tracesStarted(traces);
  return starting.use(traces);
}
