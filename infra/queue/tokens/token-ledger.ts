import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { SeenDeath } from "../../../shared/runtime/queue/queue-control.ts";
import type {
  Cause,
  DeadKey,
  Failure,
  Outcome,
  Priority,
  QueueDepth,
  QueueEntry,
} from "../../../shared/runtime/queue/queue-port.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import type { Claim, ClaimTerms } from "../claim.ts";

/** "This key is ready now." At least once, unordered, lossy: the ledger decides what a token is worth. */
export interface Token {
  readonly key: Key;
  /** The number of the event that made the key ready; a token with another seq is stale. Empty: fits any. */
  readonly seq: string;
  readonly priority: Priority;
  /** Keys of the same tenant and priority that were ready before it; a transport may send them later. */
  readonly rank?: number;
}

/** A key that began to die in a change of the ledger: leased until its letter is written and it is marked dead. */
export interface KeyDeath {
  readonly key: Key;
  readonly priority: Priority;
  readonly failures: number;
  readonly since: Date;
  /** The owner, for `bury`: another process may have to write the letter meanwhile. */
  readonly owner: string;
  /** The last one. */
  readonly failure: Failure;
  /** Owner of the last run, and when it was claimed. */
  readonly ranBy: string;
  readonly startedAt: Date;
}

/** A run whose lease expired before it was finished, and that was not the last attempt of its key. */
export interface ExpiredLease {
  readonly key: Key;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly retries: number;
  readonly owner: string;
  /** When it was claimed. */
  readonly startedAt: Date;
}

/** The work that a change of the ledger leaves to its caller. */
export interface Change {
  /** False = fenced: nothing has changed. */
  readonly accepted: boolean;
  readonly tokens: readonly Token[];
  readonly deaths: readonly KeyDeath[];
  /** Runs whose leases expired and whose keys are not dying, where the call has found some. */
  readonly expired?: readonly ExpiredLease[];
  /** No key is ready or running; absent where the call has not looked. */
  readonly rests?: boolean;
  /** Time until the earliest key that the call left waiting is due. */
  readonly waitMs: number | undefined;
}

export interface FinishChange extends Change {
  /** The key that the worker must run next, when it asked for one. */
  readonly next?: Claim;
}

interface RequeueChange extends Change {
  readonly done: readonly boolean[];
}

/** A ledger that several processes share; with the table of Q-21. Every call is atomic. */
export interface TokenLedger extends QueueReader {
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<Change>;
  /** Claims a key. With `anyKey` it may be another one than the token's, which is then stale or must wait. */
  claim(functionName: string, token: Token, terms: ClaimTerms): Promise<Claim | undefined>;
  /** `next`: also claims a key that waits without a token, if one does. */
  finish(
    functionName: string,
    claim: Claim & ClaimTerms,
    outcome: Outcome,
    next?: ClaimTerms,
  ): Promise<FinishChange>;
  renew(functionName: string, claim: Claim & ClaimTerms): Promise<boolean>;
  /** The letter of a death exists: the key is dead, or lives again if there has been an event since. */
  markDead(functionName: string, death: Pick<KeyDeath, "key" | "owner">): Promise<Change>;
  release(functionName: string, claim: Claim): Promise<Change>;
  tick(functionName: string): Promise<Change>;
  /** Time until a tick has work, where the ledger can say it at once; undefined: no tick has before the next call. */
  nextTickMs?(functionName: string): number | undefined;
  /** Returns true when no process has had the ticks of a function within the last `forMs`: then this one has them. */
  takeTicks(functionName: string, forMs: number): Promise<boolean>;
  /** Claims nothing until it is called with false; events are accepted all the same. Not accepted: it was so before. */
  pause(functionName: string, paused: boolean): Promise<Change>;
  /** Revives the keys that are dead as seen; `done` says which, in the order of the keys. */
  requeue(functionName: string, seen: readonly SeenDeath[], cause: Cause): Promise<RequeueChange>;
  depth(functionName: string): Promise<QueueDepth>;
  dead(functionName: string): Promise<readonly DeadKey[]>;
  epoch(functionName: string): Promise<string>;
}
