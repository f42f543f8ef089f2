import type { QueueEntry } from "../../../shared/runtime/queue-port.ts";
import type { Token } from "./token-ledger.ts";

/**
 * The token of a single event that is due now, sent right behind the event instead of a round trip later. Its seq is
 * not known yet; without one a token is good for any. When the event turns out to need no token it is merely stale.
 */
export function tokenAhead([only, ...others]: readonly QueueEntry[]): Token | undefined {
  if (only === undefined || others.length > 0 || only.class !== "live" || (only.delayMs ?? 0) > 0)
    return undefined;
  return { key: only.key, seq: "", class: "live" };
}
