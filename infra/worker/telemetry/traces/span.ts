import type { SpanContext } from "./traceparent.ts";

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
