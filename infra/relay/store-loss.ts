import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, TypeKey } from "../../shared/runtime/ports.ts";
import type { LoopStatus } from "../../shared/runtime/read/loop-status.ts";
import { rest } from "../platform/rest.ts";
import type { Delivery } from "./delivery/delivery.ts";
import type { WatchLoop } from "./watch/watch-loop.ts";

/** The part of a watch loop that a relist needs. */
export interface Relisted extends Pick<WatchLoop, "relist"> {
  status(): Pick<LoopStatus, "state">;
}

/** How often the relay checks whether store and queue have lost data. */
export const LOSS_CHECK_MS = 5 * SECOND;

/** Calls `relistLost` again and again, so that a store that comes back empty is refilled. Ends with the signal. */
export async function watchForLoss(
  relistLost: () => Promise<void>,
  {
    clock,
    signal,
    lossCheckMs = LOSS_CHECK_MS,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly lossCheckMs?: number | undefined },
): Promise<void> {
  while (!signal.aborted) {
    await rest(lossCheckMs, clock, signal);
    if (!signal.aborted) await relistLost();
  }
}

/**
 * Lists a type again when the store has lost data: the watch has resumed from a complete list, but the
 * store is not complete. A store that does not answer is asked again by the next check. Returns whether it was lost.
 */
export async function relistIfLost(
  delivery: Pick<Delivery, "hasLost">,
  type: TypeKey,
  loop: Relisted,
): Promise<boolean> {
  if (loop.status().state !== "streaming") return false;
  const isLost = await delivery.hasLost(type).catch(() => false);
  // A list may have begun meanwhile; its end makes the type complete.
  if (isLost && loop.status().state === "streaming") loop.relist();
  return isLost;
}
