/** A browser has six connections for each server, for all of its tabs: one is left for questions. */
const PLACES = 5;
const TAKEN = Symbol("taken");

/** Calls `use` in one of the places for streams that all tabs of this browser share; undefined: each is taken. */
export async function inPlace<T>(use: () => Promise<T>): Promise<T | undefined> {
  for (let place = 0; place < PLACES; place += 1) {
    const options = { ifAvailable: true };
    const result = await navigator.locks.request(`capstan-stream-${place}`, options, async (lock) =>
      lock === null ? TAKEN : use(),
    );
    if (result !== TAKEN) return result;
  }
  return undefined;
}
