const LOOK_MS = 2_000;
/** A computer that was busy is less late. */
const ASLEEP_MS = 20_000;

/**
 * Calls back when the computer has slept, or the network is back. A connection of before may be dead without a sign, and
 * would be found silent only much later.
 */
export function onWake(woken: () => void): void {
  addEventListener("online", woken);
  let seenAtMs = Date.now();
  setInterval(() => {
    const nowMs = Date.now();
    const isLate = nowMs - seenAtMs > ASLEEP_MS;
    seenAtMs = nowMs;
    // Timers of a hidden tab are late by design.
    if (isLate && !document.hidden) woken();
  }, LOOK_MS);
}
