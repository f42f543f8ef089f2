/** A browser has six connections of HTTP/1 for each server, for all of its tabs: one is left for questions. */
const PLACES = 5;
const TAKEN = Symbol("taken");

/**
 * Calls `use` in one of the places for streams that all tabs of this browser share; undefined: each is taken. With
 * HTTP/2 or later one connection has room for all of them.
 */
export async function inPlace<T>(use: () => Promise<T>): Promise<T | undefined> {
  if (sharesConnection()) return use();
  for (let place = 0; place < PLACES; place += 1) {
    const options = { ifAvailable: true };
    const result = await navigator.locks.request(`capstan-stream-${place}`, options, async (lock) =>
      lock === null ? TAKEN : use(),
    );
    if (result !== TAKEN) return result;
  }
  return undefined;
}

/** By the protocol that has brought this page: `http/1.1`, `h2`, `h3`. */
function sharesConnection(): boolean {
  const entries = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entries.some(({ nextHopProtocol }) => /^h[23]$/.test(nextHopProtocol));
}
