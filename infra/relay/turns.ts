/** A limit on how many pieces of work run at once, first come, first served. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(limit: number): Turns {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async take(work) {
      if (taken >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else taken += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) taken -= 1;
        else next();
      }
    },
  };
}
