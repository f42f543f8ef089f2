import type { Clients } from "../../../../shared/runtime/ports.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import type { TraceEvent } from "../../../relay/delivery/trace-event.ts";
import type { TracedSpans } from "../trace-metrics.ts";

/** Passes the parts of a process through, so that they are traced. */
export interface Tracing extends TracedSpans {
  /** Traces an event for the relay; undefined where events are not traced. */
  readonly traceEvent: TraceEvent | undefined;
  /** Returns the same queue; its runs are traced. */
  queue(queue: Queue): Queue;
  /** Returns the same clients; requests of runs are traced. */
  clients(clients: Clients): Clients;
}
