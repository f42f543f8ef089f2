import { setTimeout } from "node:timers/promises";
import type { VirtualClock } from "./clock.ts";

interface Time {
  /** Virtual time to let pass; real time when absent. */
  readonly clock?: VirtualClock | undefined;
  /** Between two looks. Default 10. */
  readonly stepMs?: number;
}

type Condition<T> = () => T | Promise<T>;

/** In real time: what has not come by then never comes, however slow the machine is. */
export const HANG_MS = 4 * 60_000;

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
    try {
      const value = await condition();
      if (value !== false) return value;
      if (time.elapsedMs() >= limitMs) throw new Error(`not true within ${limitMs} ms`);
    } catch (error) {
      if (time.elapsedMs() >= limitMs) throw error;
    }
    await time.step();
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

function timeOf({ clock, stepMs = 10 }: Time): { elapsedMs: () => number; step: () => Promise<void> } {
  const now = () => (clock === undefined ? performance.now() : clock.now().getTime());
  const startedAt = now();
  return {
    elapsedMs: () => Math.round(now() - startedAt),
    step: () => (clock === undefined ? setTimeout(stepMs) : clock.advance(stepMs)),
  };
}
