import type { QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import type { Token } from "./token-ledger.ts";

/**
 * Returns the token of a single event that is due now, to be sent right behind the event instead of a round trip later.
 * Its seq is not known yet; a token without one fits any. When the event needs no token, the token is merely stale.
 */
export function tokenAhead([only, ...others]: readonly QueueEntry[]): Token | undefined {
  if (only === undefined || others.length > 0 || only.priority !== "live" || (only.delayMs ?? 0) > 0)
    return undefined;
  return { key: only.key, seq: "", priority: "live" };
}
