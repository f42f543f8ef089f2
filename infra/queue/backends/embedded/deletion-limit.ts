import type { Clock } from "../../../../shared/runtime/ports.ts";
import { type DeletionLimit, LIMIT_WINDOW_MS } from "../../../../shared/runtime/write/deletion-limit.ts";

/** The limit of one process. */
export function createMemoryDeletionLimit(perHour: number, clock: Pick<Clock, "now">): DeletionLimit {
  /** Times by id, the oldest first. */
  const counted = new Map<string, Map<string, number>>();
  return {
    perHour,
    async admit({ cluster, kind, id }) {
      const now = clock.now().getTime();
      const group = `${kind} ${cluster}`;
      const times = new Map([...(counted.get(group) ?? [])].filter(([, at]) => at > now - LIMIT_WINDOW_MS));
      const isAdmitted = times.has(id) || times.size < perHour;
      if (isAdmitted && !times.has(id)) times.set(id, now);
      if (times.size > 0) counted.set(group, times);
      else counted.delete(group);
      return isAdmitted;
    },
  };
}
