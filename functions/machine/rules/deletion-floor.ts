import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

/** At 1 s, two hundred deletions at once cost a third more writes each. */
const SHORTEST_MS = 10 * SECOND;
const LONGEST_MS = 30 * SECOND;

/**
 * Returns the shortest time between two statuses of a deleted Machine: half of what its deletion has taken so far, within 10
 * and 30 s. Of a thousand deletions under way, not every stage of each is written.
 * Differs: 5 s in the specification, whatever the deletion takes; upstream writes after each pass.
 */
export function deletionFloorMs({ metadata }: Machine, now: Date): number {
  const takenMs = now.getTime() - Date.parse(metadata.deletionTimestamp ?? "");
  if (Number.isNaN(takenMs)) return SHORTEST_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.floor(takenMs / 2)));
}
