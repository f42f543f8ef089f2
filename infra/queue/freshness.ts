import type { Clock } from "../../shared/runtime/ports.ts";

/** Age of a claim, from the moment at which it was asked for. */
export interface Freshness extends Disposable {
  readonly isFresh: () => boolean;
}

const FOR_EVER: Freshness = { isFresh: () => true, [Symbol.dispose]: () => undefined };

/**
 * Starts when a claim is asked for. Fresh until `freshMs` are over by a timer or by the clock, whichever is first: a
 * process that stood still learns of it by the clock, and a clock that was set back does not stop the timer.
 */
export function startFreshness(clock: Clock, freshMs: number | undefined): Freshness {
  if (freshMs === undefined) return FOR_EVER;
  const until = clock.now().getTime() + freshMs;
  let isOver = false;
  const cancel = clock.after(freshMs, () => {
    isOver = true;
  });
  return { isFresh: () => !isOver && clock.now().getTime() < until, [Symbol.dispose]: cancel };
}
