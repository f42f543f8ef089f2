import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Log, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import { untilAccepted } from "../retry.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";

/** Types of a management server that was restored or replaced, and have not been listed since (KR-12). */
export interface Distrust {
  /**
   * Marks all types unreadable except the listed one. A restore that one list has shown concerns all types, also those
   * whose lists cannot show it. Until they are listed again functions must not read them: an object may name an owner
   * that does not exist on the restored server, and would be collected as garbage.
   */
  allBut(listed: Loop): Promise<void>;
  /** Notes that a type was listed. Returns whether it was distrusted. */
  listed(loop: Loop): boolean;
}

type Loop = Pick<WatchLoop, "relist">;

export interface DistrustOptions {
  readonly store: Pick<Store, "advance">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called once for all types. */
  readonly onRestored: () => void;
}

/** The time within which all lists show the same restore. */
const RESTORE_MS = 30 * SECOND;

export function createDistrust(
  options: DistrustOptions,
  watched: () => readonly { readonly type: TypeKey; readonly loop: Loop }[],
): Distrust {
  const { store, clock, log, onRestored } = options;
  const distrusted = new Set<Loop>();
  let restoredAt = Number.NEGATIVE_INFINITY;
  return {
    async allBut(listed) {
      const now = clock.now().getTime();
      if (now - restoredAt < RESTORE_MS) return;
      restoredAt = now;
      log.warn({}, "the management server was restored or replaced; everything is listed again");
      onRestored();
      const others = watched().filter(({ loop }) => loop !== listed);
      await Promise.all(
        others.map(({ type }) => untilAccepted(() => store.advance(type, { ready: false }), options)),
      );
      for (const { loop } of others) {
        distrusted.add(loop);
        loop.relist();
      }
    },
    listed: (loop) => distrusted.delete(loop),
  };
}
