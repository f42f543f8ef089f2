import type { Clock } from "../../shared/runtime/ports.ts";

/** Longest delay that setTimeout takes; a longer one would fire at once. About 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Clock and timers of this process. Timers keep it alive until they run or are cancelled. */
export const systemClock: Clock = Object.freeze({ now: () => new Date(), after });

function after(delayMs: number, callback: () => void): () => void {
  if (delayMs <= 0) {
    const turn = setImmediate(callback);
    return () => clearImmediate(turn);
  }
  let left = delayMs;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const step = Math.min(left, LONGEST_MS);
    left -= step;
    timer = setTimeout(left > 0 ? arm : callback, step);
  };
  arm();
  return () => clearTimeout(timer);
}
