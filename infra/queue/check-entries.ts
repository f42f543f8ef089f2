import type { QueueEntry } from "../../shared/runtime/queue/queue-port.ts";

/** Six times the longest key of API server names; no driver could carry a longer one. */
const MAX_KEY_BYTES = 4_096;

/**
 * Throws a TypeError about the first entry that a queue cannot keep as it is; then no entry of the call is accepted.
 * Texts that do not parse as keys are accepted: their run fails for good and says why.
 */
export function checkEntries(entries: readonly QueueEntry[]): void {
  for (const { key, delayMs = 0 } of entries) {
    const problem = problemOf(key);
    if (problem !== undefined) throw new TypeError(`the key ${JSON.stringify(key.slice(0, 60))} ${problem}`);
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new TypeError(
        `the delay of the key ${JSON.stringify(key.slice(0, 60))} is ${delayMs} ms; give 0 or more`,
      );
    }
  }
}

function problemOf(key: string): string | undefined {
  if (key === "") return "is empty";
  if (key.length > MAX_KEY_BYTES || Buffer.byteLength(key) > MAX_KEY_BYTES) {
    return `of ${key.length} characters is longer than ${MAX_KEY_BYTES} bytes`;
  }
  // In UTF-8 all of them would become the same character, and two keys one.
  return key.isWellFormed() ? undefined : "has half a surrogate pair, which no store can keep";
}
