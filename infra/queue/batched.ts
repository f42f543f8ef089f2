interface Call<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects the calls of one turn of the event loop into calls of up to `limit` items; results in the same order. */
export function batched<I, O>(
  limit: number,
  run: (items: readonly I[]) => Promise<readonly O[]>,
): (item: I) => Promise<O> {
  let calls: Call<I, O>[] = [];
  const flush = async (part: readonly Call<I, O>[]): Promise<void> => {
    try {
      const results = await run(part.map(({ item }) => item));
      // As many results as items; a missing one is what O allows it to be.
      for (const [index, call] of part.entries()) call.resolve(results[index] as O);
    } catch (error) {
      for (const call of part) call.reject(error);
    }
  };
  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<O>();
    if (calls.length === 0) {
      setImmediate(() => {
        const all = calls;
        calls = [];
        for (let start = 0; start < all.length; start += limit) void flush(all.slice(start, start + limit));
      });
    }
    calls.push({ item, resolve, reject });
    return promise;
  };
}
