import { setTimeout } from "node:timers/promises";
import type { VirtualClock } from "./clock.ts";

interface Time {
  /** Virtual time to let pass; real time when absent. */
  readonly clock?: VirtualClock | undefined;
  /** Between two looks, at first; in real time as long as a look takes at least, up to a second. Default 10. */
  readonly stepMs?: number;
}

/** False: not yet. */
type Condition<T> = () => T | false | Promise<T | false>;

/** In real time: what has not come by then never comes, however slow the machine is. */
export const HANG_MS = 4 * 60_000;

/** Between two looks, in real time: the longer it lasts the rarer they are, as many a look starts a process. */
const MOST_STEP_MS = 1_000;
const STEP_SHARE = 0.1;

/**
 * Looks again until `condition` neither throws nor gives false; gives what it gave. After `withinMs`, in real time
 * after HANG_MS at the earliest, the last error is thrown: a limit for failures, not a measurement.
 */
export async function eventually<T>(
  condition: Condition<T>,
  options: Time & { readonly withinMs: number },
): Promise<T> {
  const time = timeOf(options);
  const limitMs = options.clock === undefined ? Math.max(HANG_MS, options.withinMs) : options.withinMs;
  for (;;) {
    const lookedAtMs = time.elapsedMs();
    try {
      const value = await condition();
      if (value !== false) return value;
      if (time.elapsedMs() >= limitMs) throw new Error(`not true within ${limitMs} ms`);
    } catch (error) {
      if (time.elapsedMs() >= limitMs) throw error;
    }
    const elapsedMs = time.elapsedMs();
    await time.step(Math.min(Math.max(elapsedMs * STEP_SHARE, elapsedMs - lookedAtMs), MOST_STEP_MS));
  }
}

/** Looks all the time for `forMs` and fails when `condition` throws or gives false. */
export async function holds(
  condition: Condition<unknown>,
  options: Time & { readonly forMs: number },
): Promise<void> {
  const time = timeOf(options);
  for (;;) {
    if ((await condition()) === false) throw new Error(`no longer true after ${time.elapsedMs()} ms`);
    if (time.elapsedMs() >= options.forMs) return;
    await time.step();
  }
}

/** `step` waits at least `atLeastMs` where time is real. */
function timeOf({ clock, stepMs = 10 }: Time): {
  elapsedMs: () => number;
  step: (atLeastMs?: number) => Promise<void>;
} {
  const now = () => (clock === undefined ? performance.now() : clock.now().getTime());
  const startedAt = now();
  return {
    elapsedMs: () => Math.round(now() - startedAt),
    step: (atLeastMs = 0) =>
      clock === undefined ? setTimeout(Math.max(stepMs, atLeastMs)) : clock.advance(stepMs),
  };
}
