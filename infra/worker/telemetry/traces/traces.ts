import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { TraceVariables } from "../../../platform/config.ts";
import type { ServerAccess } from "../../../platform/kube/server-access.ts";
import { createTransport } from "../../../platform/kube/transport.ts";
import { packageVersion } from "../../../platform/package-version.ts";
import { appendPrivateFile } from "../../../platform/private-file.ts";
import type { Tracing } from "../trace-metrics.ts";
import { createExporter, type Delivered, type Destination } from "./exporter.ts";
import { type TraceSettings, traceSettings } from "./settings.ts";
import { createTraceOf } from "./trace-ids.ts";
import { traceClients } from "./traced-clients.ts";
import { traceEvents, traceRuns } from "./traced-queue.ts";

const LIMIT_BYTES = 256 * 1024 * 1024;
const WITHIN_MS = 10 * SECOND;
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** OTLP 1, "Failures": the same request may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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

/**
 * Sends spans to a collector by OTLP/HTTP. `server` is its base URL; redirects are not followed. Rejects without an answer
 * within 10 s.
 */
export function httpDestination(
  access: ServerAccess,
  headers: Readonly<Record<string, string>>,
): Destination {
  const transport = createTransport(access);
  return {
    async send(body): Promise<Delivered> {
      const request = {
        method: "POST",
        path: "/v1/traces",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
      };
      const { status } = await transport.send(request, ANSWER_LIMIT_BYTES, AbortSignal.timeout(WITHIN_MS));
      if (status >= 200 && status < 300) return "sent";
      return RETRYABLE.has(status) ? "later" : "refused";
    },
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

/**
 * Appends spans to a file with mode 0600, one request of OTLP in each line, as the file exporter of OpenTelemetry's
 * collector does. Refuses what would go beyond 256 MiB.
 */
export function fileDestination(file: string): Destination {
  return {
    async send(text) {
      const size = await stat(file).then(
        (found) => found.size,
        () => 0,
      );
      if (size + text.length > LIMIT_BYTES) return "refused";
      await appendPrivateFile(file, `${text}\n`);
      return "sent";
    },
    [Symbol.dispose]: () => undefined,
  };
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
