import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { KeyState } from "../../../shared/runtime/queue/queue-state.ts";

/**
 * How the key of a letter stands, since a letter outlives the death that it records: `dead` until an attempt in the slow
 * lane succeeds, or an event or a person revives the key; `revived` while it waits for a run or fails again; then
 * `resolved`.
 */
export type LetterState = "dead" | "revived" | "resolved";

/** `found` says how the key stands in the queue; undefined: it is idle. */
export function letterStateOf(
  { reason }: Pick<DeadLetterHead, "reason">,
  found: KeyState | undefined,
): LetterState {
  // No ledger holds a malformed key, so no run will ever resolve it.
  if (reason === "Malformed" || found?.state === "dead" || found?.deadSince !== undefined) return "dead";
  if (found === undefined) return "resolved";
  const isDue = found.state === "ready" || found.state === "running";
  // A key that waits without a failure waits for a clock: its run has succeeded.
  return isDue || found.failures > 0 ? "revived" : "resolved";
}
