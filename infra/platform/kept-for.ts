import type { Clock } from "../../shared/runtime/ports.ts";
import { keptAnswers } from "./kept-answers.ts";

/** Asks again only when the last question is older. An answer that failed is asked again at once. */
export function keptFor<T>(keptMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  const answers = keptAnswers<T>({ keptMs, most: 1, clock });
  return () => answers("", ask);
}
