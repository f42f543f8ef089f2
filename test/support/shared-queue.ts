import type { QueuePorts } from "../../infra/queue/backends/backend.ts";
import { openBackend, type QueueSource } from "../../infra/queue/backends/open.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";

/** Opens the queue of a backend alone. */
export async function openSharedQueue(source: QueueSource, ports: QueuePorts): Promise<Queue> {
  const backend = await openBackend(source);
  return backend.queue(ports);
}
