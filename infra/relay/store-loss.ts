import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, TypeKey } from "../../shared/runtime/ports.ts";
import type { Delivery } from "./delivery/delivery.ts";
import { rest } from "./retry.ts";
import type { LoopStatus } from "./watch/loop-status.ts";
import type { WatchLoop } from "./watch/watch-loop.ts";

/** What is needed of a watch loop. */
export interface Relisted extends Pick<WatchLoop, "relist"> {
  status(): Pick<LoopStatus, "state">;
}

/** How often store and queue are asked whether they still have what they were given. */
export const LOSS_CHECK_MS = 5 * SECOND;

/** Has `relistLost` look again and again, so that a store that comes back empty is filled again. Ends with the signal. */
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
 * Lists a type again when the store does not have all that it was given although the watch has gone on from a complete
 * list: the store has lost data. A store that does not answer is asked again with the next look.
 */
export async function relistIfLost(
  delivery: Pick<Delivery, "hasLost">,
  type: TypeKey,
  loop: Relisted,
): Promise<void> {
  if (loop.status().state !== "streaming") return;
  const isLost = await delivery.hasLost(type).catch(() => false);
  // Listing may have begun meanwhile; its end makes the type complete.
  if (isLost && loop.status().state === "streaming") loop.relist();
}
