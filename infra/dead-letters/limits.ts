import { MINUTE } from "../../shared/function/backoff.ts";

/** Of one function; the oldest letter makes room (S-28). */
export const MAX_LETTERS = 10_000;
const DAY = 24 * 60 * MINUTE;
/** After the last death of its key a letter is kept this long (S-28). */
export const RETENTION_MS = 14 * DAY;
/** Attempts in a row come within minutes of each other. */
export const ATTEMPTS_KEPT_MS = DAY;
export const MAX_ATTEMPTS = 5;
/** Letters that one call drops as they were seen. */
const MAX_SEEN = 500;

/** Throws a TypeError for more letters than one call drops. */
export function checkSeenLetters({ length }: { readonly length: number }): void {
  if (length > MAX_SEEN) throw new TypeError(`${length} letters in one call; drop at most ${MAX_SEEN}`);
}
