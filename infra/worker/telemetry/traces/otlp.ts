import type { Attributes, Span } from "./span.ts";

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
