import { MANAGEMENT } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { LoopStatus } from "../../shared/runtime/read/loop-status.ts";
import { rest } from "../platform/rest.ts";
import type { Delivery } from "./delivery/delivery.ts";
import type { WatchLoop } from "./watch/watch-loop.ts";

/** The part of a watch loop that a relist needs. */
export interface Relisted extends Pick<WatchLoop, "relist"> {
  status(): Pick<LoopStatus, "state">;
}

/** The time between two checks whether store and queue have lost data of a type or of a function. */
const LOSS_CHECK_MS = 5 * SECOND;
/** The number of looks in that time whether they have lost everything. */
const SIGN_LOOKS = 5;
/** Its scope is written by the relay that finds none: a store that was emptied has another one, or none. */
const SIGN: TypeKey = { cluster: MANAGEMENT, group: "capstan.dev", kind: "Sign" };

export interface LossWatch {
  readonly store: Pick<Store, "progress" | "advance">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The time between checks; default 5 s. */
  readonly lossCheckMs?: number | undefined;
}

/**
 * Calls `recover` with every check, and as soon as the store has another sign, so that a store that comes back empty is
 * refilled. Ends with the signal.
 */
export async function watchForLoss(recover: () => Promise<void>, options: LossWatch): Promise<void> {
  const { store, clock, signal, lossCheckMs = LOSS_CHECK_MS } = options;
  let known: string | undefined;
  const isEmptied = async (): Promise<boolean> => {
    const before = known;
    const { scope } = await store.progress(SIGN).catch(() => ({ scope: before }));
    known = scope ?? clock.now().toISOString();
    if (scope === undefined) await store.advance(SIGN, { scope: known }).catch(() => undefined);
    return before !== undefined && known !== before;
  };
  for (let look = 1; !signal.aborted; look += 1) {
    await rest(lossCheckMs / SIGN_LOOKS, clock, signal);
    if (signal.aborted) return;
    if (!(await isEmptied()) && look < SIGN_LOOKS) continue;
    look = 0;
    await recover();
  }
}

/**
 * Lists a type again when the store has lost data: the watch has resumed from a complete list, but the
 * store is not complete. A store that does not answer is asked again by the next check. Returns whether it was lost.
 * `onLost` is called before the list.
 */
export async function relistIfLost(
  delivery: Pick<Delivery, "hasLost">,
  type: TypeKey,
  loop: Relisted,
  onLost?: () => void,
): Promise<boolean> {
  if (loop.status().state !== "streaming") return false;
  const isLost = await delivery.hasLost(type).catch(() => false);
  // A list may have begun meanwhile; its end makes the type complete.
  if (isLost && loop.status().state === "streaming") {
    onLost?.();
    loop.relist();
  }
  return isLost;
}
