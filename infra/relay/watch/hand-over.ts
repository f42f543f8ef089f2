import type { WatchEvent } from "../../../shared/runtime/ports.ts";
import type { WatchConsumer } from "./watch-consumer.ts";

/**
 * Hands a bookmark, an event, or events of different objects side by side to a consumer. Until all of these are handed
 * over, the version from which a relay may resume stays the one `before` them (KR-14). Throws the first failure, once none
 * is under way.
 */
export async function handOver(
  consumer: Pick<WatchConsumer, "changed" | "reached">,
  events: readonly WatchEvent[],
  before: string | undefined,
): Promise<void> {
  const [first, ...others] = events;
  if (first === undefined) return;
  if (first.type === "BOOKMARK") return consumer.reached?.(versionOf(first));
  if (others.length === 0) return consumer.changed(first);
  const ends = await Promise.allSettled(events.map((event) => consumer.changed(event, before)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await consumer.reached?.(events.map(versionOf).at(-1) ?? "");
}

export function versionOf({ object }: WatchEvent): string {
  return object.metadata.resourceVersion ?? "";
}
