import type { Change } from "../../../shared/runtime/queue/route.ts";

/** One event whose way into the queue is traced. */
export interface TracedEvent {
  /** Returns the traceparent for the causes of the keys of a tenant; undefined when they are not traced. */
  traceparentOf(tenant: string): string | undefined;
  /** The queue has accepted all keys. */
  end(): void;
}

/** Begins to trace a change that functions are going to be notified of. Must neither throw nor wait. */
export type TraceEvent = (change: Change) => TracedEvent;
