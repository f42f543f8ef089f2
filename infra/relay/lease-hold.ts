import type { Clock } from "../../shared/runtime/ports.ts";

/** How long this process may believe that it holds a lease. */
export interface LeaseHold {
  readonly isOver: boolean;
  /** Ends it at once, and with it its timer. */
  end(): void;
}

/**
 * Starts it after a renewal, for so many ms since that was asked for: another process that sees the renewal later also
 * waits longer. The clock ends it in a process that was stopped, whose timers are late; the timer ends it when the clock
 * was set back.
 */
export function startLeaseHold(clock: Clock, askedAt: Date, ms: number): LeaseHold {
  const endsAt = askedAt.getTime() + ms;
  let isOver = false;
  const cancel = clock.after(Math.min(ms, endsAt - clock.now().getTime()), () => {
    isOver = true;
  });
  return {
    get isOver() {
      return isOver || clock.now().getTime() >= endsAt;
    },
    end() {
      isOver = true;
      cancel();
    },
  };
}
