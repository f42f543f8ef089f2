import type { AttemptRecord } from "../attempt-record.ts";
import type { Key } from "../queue/key.ts";
import type { Cause, Failure, Priority } from "../queue/queue-port.ts";
import type { AttemptSummary, DeadLetter, DeadLetterHead, DeathReason } from "./dead-letter.ts";

/** A run that failed, as the queue sees it. */
export interface FailedRun {
  readonly function: string;
  readonly key: Key;
  /** Different for every run; absent when that is not known. */
  readonly owner?: string | undefined;
  /** When the key was claimed, by the clock of the ledger; absent when that is not known. */
  readonly startedAt?: Date | undefined;
  readonly failure: Failure;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly retries: number;
  readonly causes: readonly Cause[];
  readonly record?: AttemptRecord | undefined;
  /** The key dies of it. */
  readonly death?: Death | undefined;
  /** The queue has taken the lease away and reported that already; the record of the run comes after. */
  readonly fenced?: boolean | undefined;
}

export interface Death {
  readonly reason: DeathReason;
  readonly priority: Priority;
  /** The same instant for every failing attempt in the slow lane. */
  readonly since: Date;
}

/** A failure in the slow lane is the same death; where the start of the run is not known, it is taken for new. */
export function isNewDeath({ death, startedAt }: Pick<FailedRun, "death" | "startedAt">): boolean {
  return death !== undefined && (startedAt === undefined || death.since >= startedAt);
}

/**
 * Called by a queue with every failed run that it counts. Rejects when the letter of a death could not be stored: the
 * queue does not let the key die before it is.
 */
export type NoteFailure = (run: FailedRun) => Promise<void>;

/**
 * Dead letters by function and key: the newest record wins, `times` counts deaths, at most 10,000 per function and 14
 * days (S-28). `test/suites/dead-letters.ts` checks it for every store.
 */
export interface DeadLetters extends AsyncDisposable {
  /** Hides secrets of this installation (redact.ts). The key is made at the first use. */
  hide(): Promise<(secret: string) => string>;
  /** Keeps the last five failed attempts of a key; the first failure in a row (`failures` 1) forgets older ones. */
  noteAttempt(at: LetterKey, attempt: AttemptSummary): Promise<AttemptHistory>;
  /** Stores a redacted letter in one step; a letter of the same `deadSince` does not raise `times`. */
  put(letter: DeadLetter): Promise<void>;
  get(at: LetterKey): Promise<DeadLetter | undefined>;
  /** The longest dead first. */
  list(functionName?: string): Promise<readonly DeadLetterHead[]>;
  /**
   * A page of them, by function and by the time at which each was stored, without a write. A new death moves its
   * letter behind all others, so that no letter is missed from page to page. Throws a TypeError for a limit or a cursor
   * that no page gave out.
   */
  page(selection: LetterSelection): Promise<LetterPage>;
  /** Reads many letters, one after the other and some at a time in memory; those that are gone are left out. */
  read(all: readonly LetterKey[]): AsyncIterable<DeadLetter>;
  /** Removes letters in one call; returns how many there were. */
  drop(functionName: string, keys: readonly Key[]): Promise<number>;
  /**
   * Drops every letter that is still as it was seen; at most 500, else TypeError. The answers are in the order of the
   * letters.
   */
  dropSeen(functionName: string, seen: readonly SeenLetter[]): Promise<readonly Dropped[]>;
  /** Removes what is older than 14 days; returns how many. */
  expire(): Promise<number>;
}

/** The failures in a row of one key. */
export interface AttemptHistory {
  readonly firstFailureAt: string;
  /** The last five, oldest first. */
  readonly attempts: readonly AttemptSummary[];
}

export interface LetterKey {
  readonly function: string;
  readonly key: Key;
}

export interface LetterSelection {
  readonly function?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface LetterPage {
  readonly items: readonly DeadLetterHead[];
  /** The cursor of the next page, opaque; absent on the last one. */
  readonly next?: string | undefined;
}

export interface SeenLetter {
  readonly key: Key;
  readonly deadSince: string;
  readonly times: number;
}

export interface Dropped {
  readonly key: Key;
  /** Whether it was done; false: it is gone, or its key has died again; nothing was done. */
  readonly done: boolean;
  /** A letter that was left alone, as it is now; absent = gone. */
  readonly head?: DeadLetterHead | undefined;
}
