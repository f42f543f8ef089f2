/** Place of a span in a trace. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** W3C Trace Context, version 0, sampled: others are not passed on. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

export function formatTraceparent({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Returns undefined for any other text: a queue is shared, and its content may be damaged. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(text ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
