import type { VirtualServer } from "../request/request.ts";
import { WorkQueue } from "./work-queue.ts";

const EVENTS = "/events";
const EVENT_MAX_AGE_MS = 60 * 60_000;
const EVENT_MAX_COUNT = 10_000;

/** Keeps Events for an hour and at most 10,000 of them; looks only when one is created. */
export function retainEvents(server: VirtualServer): { stop(): void } {
  const queue = new WorkQueue(server.clock, () => dropOld(server));
  server.storage.onChange((type, change) => {
    if (type === EVENTS && change.type === "ADDED") queue.add(EVENTS);
  });
  return queue;
}

function dropOld(server: VirtualServer): void {
  const events = server.storage.collection(EVENTS);
  const oldest = server.clock.now().getTime() - EVENT_MAX_AGE_MS;
  for (const event of events.values()) {
    const isOld = Date.parse(event.metadata.creationTimestamp) < oldest;
    if (!isOld && events.size <= EVENT_MAX_COUNT) return;
    server.storage.remove(EVENTS, event);
  }
}
