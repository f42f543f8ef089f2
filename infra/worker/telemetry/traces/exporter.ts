import { MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import { messageOf } from "../../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { AddSpan, Attributes, Span } from "./trace-ids.ts";

/** `later`: the same spans may be accepted when they are sent again. */
export type Delivered = "sent" | "later" | "refused";

/** Where spans go. Rejects or answers within a bounded time. */
export interface Destination extends Disposable {
  send(text: string): Promise<Delivered>;
}

interface ExporterOptions {
  readonly destination: Destination;
  readonly resource: Attributes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing sends the rest once. */
interface Exporter extends AsyncDisposable {
  readonly add: AddSpan;
  /** Spans that were not delivered so far. */
  dropped(): number;
}

/** The defaults of OpenTelemetry's batch processor. */
const MAX_SPANS = 2_048;

const BATCH = 512;
const EVERY_MS = 5 * SECOND;
const MAX_PAUSE_MS = MINUTE;

/** The end of a process waits no longer for the collector. */
const LAST_MS = 2 * SECOND;

/**
 * Keeps up to 2,048 spans and sends them in batches, one at a time. Runs never wait for it: while the destination is away
 * or slow, new spans are dropped and counted.
 */
export function createExporter(options: ExporterOptions): Exporter {
  const exporter = new BatchExporter(options);
  return {
    add: (span) => exporter.add(span),
    dropped: () => exporter.dropped,
    [Symbol.asyncDispose]: () => exporter.end(),
  };
}

/** SpanKind and StatusCode of opentelemetry/proto/trace/v1/trace.proto. */
const KINDS = { internal: 1, client: 3, producer: 4, consumer: 5 } as const;

const STATUS_ERROR = 2;

/** Names and messages are shorter. */
const MAX_CHARS = 512;

/**
 * Returns an ExportTraceServiceRequest in the JSON encoding of OTLP 1: ids in hexadecimal, times and integers as decimal
 * text.
 */
export function otlpText(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "capstan" }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, links, error, ...span }: Span): object {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosOf(span.startMs),
    endTimeUnixNano: nanosOf(span.endMs),
    attributes: attributesOf(span.attributes),
    links,
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error.slice(0, MAX_CHARS) },
  };
}

/** A double does not hold so many digits. */
function nanosOf(ms: number): string {
  const whole = Math.trunc(ms);
  return `${whole}${String(Math.trunc((ms - whole) * 1e6)).padStart(6, "0")}`;
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: string | number | boolean): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value.slice(0, MAX_CHARS) };
    case "boolean":
      return { boolValue: value };
    default:
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
}

class BatchExporter {
  readonly #options: ExporterOptions;
  readonly #spans: Span[] = [];
  #cancel: () => void;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #ended = false;
  dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#cancel = options.clock.after(EVERY_MS, () => this.#flush());
  }

  #flushAfter(delayMs: number): void {
    if (this.#ended) return;
    this.#cancel();
    this.#cancel = this.#options.clock.after(delayMs, () => this.#flush());
  }

  add(span: Span): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.dropped += 1;
      return;
    }
    this.#spans.push(span);
    // After a failure only time helps. Never at once: a run is calling.
    if (this.#spans.length === BATCH && this.#failures === 0) this.#flushAfter(0);
  }

  /** May be called twice. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancel();
    const { clock, destination, log } = this.#options;
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(LAST_MS, late.resolve);
    await Promise.race([late.promise, this.#sendRest()]);
    cancel();
    destination[Symbol.dispose]();
    this.dropped += this.#spans.splice(0).length;
    if (this.dropped > 0) log.warn({ spans: this.dropped }, "traces: spans were not delivered");
  }

  #flush(): void {
    if (this.#sending !== undefined) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#flushAfter(Math.min(EVERY_MS * 2 ** this.#failures, MAX_PAUSE_MS));
    });
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    await this.#sendAll();
  }

  /** Sends batches until one fails or none is left. Never rejects. */
  async #sendAll(): Promise<void> {
    while (this.#spans.length > 0) {
      const batch = this.#spans.slice(0, BATCH);
      const delivered = await this.#send(batch);
      if (delivered === "later") return;
      this.#spans.splice(0, batch.length);
      if (delivered === "refused") this.dropped += batch.length;
    }
  }

  async #send(batch: readonly Span[]): Promise<Delivered> {
    const { destination, resource } = this.#options;
    try {
      const delivered = await destination.send(otlpText(batch, resource));
      if (delivered === "sent") this.#recovered();
      else this.#failed(delivered === "later" ? "it asks to wait" : "it refuses spans");
      return delivered;
    } catch (error) {
      this.#failed(messageOf(error));
      return "later";
    }
  }

  /** One line per outage. */
  #failed(why: string): void {
    if (this.#failures === 0) {
      this.#options.log.warn({ why }, "traces: the collector does not take spans; runs continue without it");
    }
    this.#failures += 1;
  }

  #recovered(): void {
    if (this.#failures > 0) {
      this.#options.log.info({ dropped: this.dropped }, "traces: the collector takes spans again");
    }
    this.#failures = 0;
  }
}
