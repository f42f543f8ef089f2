import { systemClock } from "../../infra/platform/clock.ts";
import type { Clock } from "../../shared/runtime/ports.ts";

/** The time of this process, which a test may set forward; timers stay real. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
}

export function jumpingClock(): JumpingClock {
  let aheadMs = 0;
  return {
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    after: systemClock.after,
    jump: (ms) => {
      aheadMs += ms;
    },
  };
}
