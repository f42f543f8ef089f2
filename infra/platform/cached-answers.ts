import type { Clock } from "../../shared/runtime/ports.ts";

/** Gives the answer to a question, or asks. */
type CachedAnswers<T> = (question: string, ask: () => Promise<T>) => Promise<T>;

/**
 * How long answers count, and how many are cached at most: the one that was asked first goes first. `share`: an answer
 * that took long counts for longer, so that a question takes at most this share of the time.
 */
interface CachedAnswersOptions {
  readonly cachedMs: number;
  readonly share?: number;
  readonly most: number;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Asks each question again only when its last answer is older. One that failed is asked again at once. With the next
 * question that is asked, older answers are let go.
 */
export function cachedAnswers<T>({ cachedMs, share, most, clock }: CachedAnswersOptions): CachedAnswers<T> {
  const kept = new Map<string, { untilMs: number; readonly answer: Promise<T> }>();
  return (question, ask) => {
    const nowMs = clock.now().getTime();
    const found = kept.get(question);
    if (found !== undefined && nowMs < found.untilMs) return found.answer;
    kept.delete(question);
    for (const [oldest, { untilMs }] of kept) {
      if (nowMs < untilMs && kept.size < most) break;
      kept.delete(oldest);
    }
    const entry = { untilMs: nowMs + cachedMs, answer: ask() };
    kept.set(question, entry);
    entry.answer.then(
      () => {
        const tookMs = clock.now().getTime() - nowMs;
        if (share !== undefined) entry.untilMs = Math.max(entry.untilMs, nowMs + tookMs / share);
      },
      () => {
        if (kept.get(question) === entry) kept.delete(question);
      },
    );
    return entry.answer;
  };
}

/** Asks again only when the last question is older. An answer that failed is asked again at once. */
export function cachedFor<T>(cachedMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  const answers = cachedAnswers<T>({ cachedMs, most: 1, clock });
  return () => answers("", ask);
}
