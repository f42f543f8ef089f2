import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { readTraceVariables } from "../config.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";

const UNTRACED: Tracing = { traceEvent: undefined, queue: (queue) => queue, clients: (clients) => clients };

/** Begins to trace when OTEL_EXPORTER_OTLP_ENDPOINT is set. Else no code of traces is loaded. Source: D-701 */
export async function startTracing(
  ports: { readonly clock: Clock; readonly log: Log },
  starting: AsyncDisposableStack,
): Promise<Tracing> {
  const variables = readTraceVariables();
  if (variables === undefined) return UNTRACED;
  const { openTraces } = await import("../telemetry/traces/traces.ts");
  const traces = openTraces(variables, ports);
  return traces === undefined ? UNTRACED : starting.use(traces);
}
