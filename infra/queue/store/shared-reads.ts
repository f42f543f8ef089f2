import { batched } from "../../platform/batched.ts";

/**
 * Returns a read of one item. Reads of one turn of the event loop are one call of `readAll` with at most `limit` items,
 * and those of equal items, by `idOf`, share their result: workers begin several runs in one turn, which read the same
 * types, often the same Cluster. `readAll` gives the results in the order of its items.
 */
export function sharedReads<I, O>(
  limit: number,
  idOf: (item: I) => string,
  readAll: (items: readonly I[]) => Promise<readonly O[]>,
): (item: I) => Promise<O> {
  return batched(limit, async (items: readonly I[]) => {
    const places = new Map<string, number>();
    const distinct: I[] = [];
    const placeOf = (item: I): number => {
      const id = idOf(item);
      const known = places.get(id);
      if (known !== undefined) return known;
      places.set(id, distinct.length);
      return distinct.push(item) - 1;
    };
    const at = items.map(placeOf);
    const results = await readAll(distinct);
    // There are as many results as distinct items; O says whether one may be missing.
    return at.map((place) => results[place] as O);
  });
}
