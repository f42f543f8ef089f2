import type { ReceivedEvent } from "../../platform/kube/watch-stream.ts";

/** A read model on Redis does nothing else while it stores a group. */
const MAX_EVENTS = 16;
const MAX_BYTES = 1024 * 1024;

/**
 * Splits events, in their order, into groups that a consumer takes together: up to 16 added or changed objects of at
 * most 1 MiB in all (a larger one by itself), or one deletion, or one bookmark.
 */
export function* inGroups<Event extends ReceivedEvent>(events: Iterable<Event>): Iterable<readonly Event[]> {
  let group: Event[] = [];
  let bytes = 0;
  for (const event of events) {
    const fits = isChange(event) && group.length < MAX_EVENTS && bytes + event.bytes <= MAX_BYTES;
    if (group.length > 0 && !(fits && group.every(isChange))) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(event);
    bytes += event.bytes;
  }
  if (group.length > 0) yield group;
}

function isChange({ type }: ReceivedEvent): boolean {
  return type === "ADDED" || type === "MODIFIED";
}
