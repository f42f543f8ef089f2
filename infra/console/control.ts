import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { QueueControl } from "../../shared/runtime/queue/queue-control.ts";

/** Acts on keys and letters that are still as they were seen. */
export type Control = QueueControl & Pick<DeadLetters, "dropSeen">;
