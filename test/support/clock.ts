import { setImmediate as nextTurn } from "node:timers";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../shared/runtime/ports.ts";

export interface VirtualClock extends Clock {
  /** Lets time pass: due callbacks run in the order of their instants, and what they start settles in between. */
  advance(ms: number): Promise<void>;
  /** Time passes while the process stands still: callbacks that are due run at the next `advance`. */
  standStill(ms: number): void;
  /** Timers that have neither run nor been cancelled. */
  readonly pending: number;
}

interface VirtualTime {
  readonly startAt?: Date;
  /** Called with every instant before its timers run. */
  readonly onInstant?: (nowMs: number) => void;
  /** Settles when what a callback has started has come to rest. Default: three turns of the event loop. */
  readonly settle?: () => Promise<void>;
}

const START_AT = new Date("2026-01-01T00:00:00Z");

/** Time that stands still until `advance`. Starts at 2026-01-01T00:00:00Z by default. */
export function virtualClock(time: Date | VirtualTime = {}): VirtualClock {
  const {
    startAt = START_AT,
    onInstant = () => undefined,
    settle = settled,
  } = time instanceof Date ? { startAt: time } : time;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = startAt.getTime();
  onInstant(now);
  const earliest = (end: number) => {
    let found: { readonly at: number; readonly callback: () => void } | undefined;
    for (const timer of timers)
      if (timer.at <= end && (found === undefined || timer.at < found.at)) found = timer;
    return found;
  };
  return {
    now: () => new Date(now),
    after: (delayMs, callback) => {
      if (delayMs <= 0) {
        const turn = nextTurn(callback);
        return () => clearImmediate(turn);
      }
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const end = now + ms;
      await settle();
      for (let timer = earliest(end); timer !== undefined; timer = earliest(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        onInstant(now);
        timer.callback();
        await settle();
      }
      now = end;
      onInstant(now);
    },
    standStill: (ms) => {
      now += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Turns of the event loop: each runs all microtasks and what was put off to the next turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
