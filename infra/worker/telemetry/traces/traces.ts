import { hostname } from "node:os";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { TraceVariables } from "../../../platform/config.ts";
import { packageVersion } from "../../../platform/package-version.ts";
import { createExporter } from "./exporter.ts";
import { fileDestination } from "./file-destination.ts";
import { httpDestination } from "./http-destination.ts";
import { type TraceSettings, traceSettings } from "./settings.ts";
import { createTraceOf } from "./trace-ids.ts";
import { traceClients } from "./traced-clients.ts";
import { traceEvents } from "./traced-events.ts";
import { traceRuns } from "./traced-queue.ts";
import type { Tracing } from "./tracing.ts";

/**
 * Returns the tracing of this process; undefined when the variables ask for none. Disposing sends what is left, within
 * 2 s. Throws with the name of the variable that is wrong.
 */
export function openTraces(
  variables: TraceVariables,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (Tracing & AsyncDisposable) | undefined {
  const settings = traceSettings(variables);
  if (settings === undefined) return undefined;
  const resource = {
    "service.name": "capstan",
    "service.version": packageVersion(),
    "service.instance.id": `${hostname()}-${process.pid}`,
  };
  const exporter = createExporter({ destination: destinationOf(settings), resource, clock, log });
  const tracing = { traceOf: createTraceOf(settings.ratio, wallMs), add: exporter.add, nowMs: wallMs };
  const runs = traceRuns(tracing);
  return {
    traceEvent: traceEvents(tracing),
    queue: runs.queue,
    clients: (clients) => traceClients(clients, runs.requestsOf, wallMs),
    droppedSpans: exporter.dropped,
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
}

function destinationOf({ to }: TraceSettings) {
  return to.type === "file" ? fileDestination(to.file) : httpDestination(to.access, to.headers);
}

/** Wall clock in ms since 1970 with fractions; set again by the machine's clock when the two have drifted apart. */
let offsetMs = Date.now() - performance.now();
const MAX_DRIFT_MS = 5;

function wallMs(): number {
  const ms = offsetMs + performance.now();
  const now = Date.now();
  if (Math.abs(now - ms) < MAX_DRIFT_MS) return ms;
  offsetMs = now - performance.now();
  return now;
}
