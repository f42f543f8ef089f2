import type { AttemptSummary } from "../../shared/runtime/letters/dead-letter.ts";
import type { AttemptHistory, LetterKey } from "../../shared/runtime/letters/dead-letters-port.ts";
import { MAX_ATTEMPTS, MAX_LETTERS } from "./limits.ts";

/** Failed attempts of the keys of one process; the key whose last failure is longest ago makes room. */
export interface RecentAttempts {
  note(at: LetterKey, attempt: AttemptSummary): AttemptHistory;
}

export function createRecentAttempts(): RecentAttempts {
  const histories = new Map<string, AttemptHistory>();
  return {
    note: (at, attempt) => {
      const id = `${at.function}|${at.key}`;
      const known = attempt.failures === 1 ? undefined : histories.get(id);
      const history = {
        firstFailureAt: known?.firstFailureAt ?? attempt.start,
        attempts: [...(known?.attempts ?? []), attempt].slice(-MAX_ATTEMPTS),
      };
      histories.delete(id);
      histories.set(id, history);
      const [oldest] = histories.keys();
      if (histories.size > MAX_LETTERS && oldest !== undefined) histories.delete(oldest);
      return history;
    },
  };
}
