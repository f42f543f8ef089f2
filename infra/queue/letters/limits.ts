import { MINUTE } from "../../../shared/function/backoff.ts";

/** The most letters of one function; then the namespace that has most of them loses the oldest (S-28, S-31). */
export const MAX_LETTERS = 10_000;
/** Letters that make room at once, at most half of the namespace's: to find it takes a look at all letters. */
export const ROOM = 100;
const DAY = 24 * 60 * MINUTE;
/** The time for which a letter is kept after the last death of its key (S-28). */
export const RETENTION_MS = 14 * DAY;
/** Attempts in a row come within minutes of each other. */
export const ATTEMPTS_KEPT_MS = DAY;
export const MAX_ATTEMPTS = 5;
/** Letters that one call drops as they were seen. */
const MAX_SEEN = 500;

/** Returns the keys whose letters make room, of all keys of a function, the oldest first. */
export function keysToLeave(keys: readonly string[]): readonly string[] {
  const excess = keys.length - MAX_LETTERS;
  if (excess <= 0) return [];
  const byNamespace = [...Map.groupBy(keys, namespaceOf).values()];
  const most = byNamespace.reduce((one, other) => (other.length > one.length ? other : one));
  return most.slice(0, Math.max(excess, Math.min(ROOM, most.length / 2)));
}

/** Returns the namespace of a key: `namespace/cluster|Kind|namespace/name`. */
function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/** Throws a TypeError for more letters than one call drops. */
export function checkSeenLetters({ length }: { readonly length: number }): void {
  if (length > MAX_SEEN) throw new TypeError(`${length} letters in one call; drop at most ${MAX_SEEN}`);
}
