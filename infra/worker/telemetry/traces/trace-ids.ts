import { hash } from "node:crypto";
import { MINUTE } from "../../../../shared/function/backoff.ts";

/** The trace of a tenant in one hour. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Its spans are exported. */
  readonly sampled: boolean;
}

/** Ids of spans that two processes must agree on without asking each other; 16 hexadecimal digits each. */
interface VersionIds {
  /** The span of the request that wrote the version. */
  readonly write: string;
  /** The span of the watch event that brought it. */
  readonly event: string;
}

/** Returns the trace of the tenant of a key, `<namespace>/<cluster>`. */
export type TraceOf = (tenant: string) => Trace;

const HOUR_MS = 60 * MINUTE;
/** The number of tenants beyond which all are computed again. */
const MAX_TENANTS = 20_000;

/**
 * Picks traces: all that happens to one Cluster within an hour is one trace, and `ratio` (0 to 1) of the traces are
 * sampled as a whole. Id and choice follow from tenant and hour, so relay and workers agree on them, whether or not an
 * event has passed from one to the other. The choice is that of OpenTelemetry's TraceIdRatioBased sampler.
 */
export function createTraceOf(ratio: number, nowMs: () => number): TraceOf {
  const traces = new Map<string, Trace>();
  let hour = 0;
  return (tenant) => {
    const current = Math.floor(nowMs() / HOUR_MS);
    if (current !== hour || traces.size >= MAX_TENANTS) traces.clear();
    hour = current;
    const known = traces.get(tenant);
    if (known !== undefined) return known;
    const traceId = hash("sha256", `${tenant} ${hour}`).slice(0, 32);
    const trace = { traceId, sampled: Number.parseInt(traceId.slice(18), 16) / 2 ** 56 < ratio };
    traces.set(tenant, trace);
    return trace;
  };
}

/** Returns the ids of the spans of one version of an object. */
export function versionIds(uid: string, resourceVersion: string): VersionIds {
  const digits = hash("sha256", `${uid} ${resourceVersion}`);
  return { write: digits.slice(0, 16), event: digits.slice(16, 32) };
}

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

/** Text and numbers only; no values of objects, no credentials. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has ended. */
export interface Span extends SpanContext {
  readonly parentSpanId?: string | undefined;
  /** The name, one of few: names of objects are attributes. */
  readonly name: string;
  readonly kind: "internal" | "client" | "producer" | "consumer";
  /** The start in ms since 1970, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly links?: readonly SpanContext[] | undefined;
  /** Reason and message of a failure, redacted. */
  readonly error?: string | undefined;
}

/** Takes spans. Never throws and never waits. */
export type AddSpan = (span: Span) => void;
