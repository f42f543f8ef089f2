import { MINUTE } from "../../function/backoff.ts";

/** A Machine in deletion for longer than this is reported as late. */
export const LATE_DELETION_MS = 15 * MINUTE;
/** Draining for longer than this counts as the likely reason. */
export const LATE_DRAIN_MS = 5 * MINUTE;

/** Phrases of a drain about Pods, and the reason for a delay that follows from each. */
const DELAYS = [
  ["cannot evict pod as it would violate the pod's disruption budget.", "PodDisruptionBudgets"],
  ["deletionTimestamp set, but still not removed from the Node", "Pods not terminating"],
  ["failed to evict Pod", "Pod eviction errors"],
  ["waiting for completion", "Pods not completed yet"],
] as const;

/** Returns why a drain takes long, from the message of its condition `Deleting`. */
export function likelyDelays(message: string): readonly string[] {
  return DELAYS.filter(([phrase]) => message.includes(phrase)).map(([, delay]) => delay);
}
