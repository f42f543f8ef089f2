import type { Clock } from "../../shared/runtime/ports.ts";
import { cachedAnswers } from "./cached-answers.ts";

/** Asks again only when the last question is older. An answer that failed is asked again at once. */
export function cachedFor<T>(cachedMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  const answers = cachedAnswers<T>({ cachedMs, most: 1, clock });
  return () => answers("", ask);
}
