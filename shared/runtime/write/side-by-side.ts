/** Requests of one decision at the same time: one that is slow must not use up the time of all. */
const SIDE_BY_SIDE = 8;

/** Does `work` for each item, eight at a time, in their order. Its first error is thrown, and no further item begun. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  // Most runs write nothing.
  if (items.length === 0) return;
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        await work(next);
      } catch (error) {
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, queue.length) }, lane));
}
