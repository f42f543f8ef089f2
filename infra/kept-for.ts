import type { Clock } from "../shared/runtime/ports.ts";

/** Asks again only when the last question is older. An answer that failed is asked again at once. */
export function keptFor<T>(keptMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const atMs = clock.now().getTime();
    if (last === undefined || atMs - last.atMs >= keptMs) {
      const entry = { atMs, answer: ask() };
      last = entry;
      entry.answer.catch(() => {
        if (last === entry) last = undefined;
      });
    }
    return last.answer;
  };
}
