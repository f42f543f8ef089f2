interface Call<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects calls into calls of up to `limit` items; results come in the same order. While no call is under way, calls
 * made in one go are sent at once: waiting would only add latency. Otherwise the calls of one turn of the event loop
 * are collected: the other end is busy, and fewer calls let it catch up. `nextTurn` calls back in the next turn.
 */
export function batched<I, O>(
  limit: number,
  run: (items: readonly I[]) => Promise<readonly O[]>,
  nextTurn: (callback: () => void) => unknown = setImmediate,
): (item: I) => Promise<O> {
  let calls: Call<I, O>[] = [];
  let underWay = 0;
  const flush = async (part: readonly Call<I, O>[]): Promise<void> => {
    underWay += 1;
    try {
      const results = await run(part.map(({ item }) => item));
      // There are as many results as items; O says whether one may be missing.
      for (const [index, call] of part.entries()) call.resolve(results[index] as O);
    } catch (error) {
      for (const call of part) call.reject(error);
    } finally {
      underWay -= 1;
    }
  };
  const flushAll = (): void => {
    const all = calls;
    calls = [];
    for (let start = 0; start < all.length; start += limit) void flush(all.slice(start, start + limit));
  };
  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<O>();
    if (calls.length === 0) {
      if (underWay === 0) queueMicrotask(flushAll);
      else nextTurn(flushAll);
    }
    calls.push({ item, resolve, reject });
    return promise;
  };
}
