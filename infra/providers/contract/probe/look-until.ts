import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../../shared/runtime/ports.ts";

const LOOK_MS = 500;

interface Waiting {
  readonly clock: Pick<Clock, "now">;
  readonly limitMs: number;
  /** Ends the wait; without it only the limit does. */
  readonly signal?: AbortSignal;
}

/** Looks until something holds, or the limit is over; `last` is the newest look. */
export async function lookUntil<T>(
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  { clock, limitMs, signal }: Waiting,
): Promise<{ readonly seen: boolean; readonly last: T }> {
  const endsAt = clock.now().getTime() + limitMs;
  for (;;) {
    const last = await look();
    if (holds(last)) return { seen: true, last };
    if (clock.now().getTime() >= endsAt) return { seen: false, last };
    await sleep(LOOK_MS, undefined, signal === undefined ? {} : { signal });
  }
}
