import type { Key } from "./key.ts";
import type { Cause, KeyState } from "./queue-state.ts";

/**
 * Actions of a person on a queue. Each call is one step of the ledger: a key or a pause that has changed since that
 * person saw it stays as it is, and the answer says how it is now.
 */
export interface QueueControl {
  /** Stops the claims of a function in all processes; running keys end, events are accepted. False: it was so before. */
  pause(functionName: string): Promise<boolean>;
  /** Resumes a function. False: it was not paused. */
  resume(functionName: string): Promise<boolean>;
  /**
   * Sends a live event to every key that is dead since the instant that was seen; `cause` is that of its next run. At
   * most 500 keys, else TypeError. The answers are in the order of the keys.
   */
  requeue(functionName: string, seen: readonly SeenDeath[], cause: Cause): Promise<readonly Requeued[]>;
}

export interface SeenDeath {
  readonly key: Key;
  /** The time of death to the millisecond: `DeadKey.since`, or `deadSince` of its letter. */
  readonly deadSince: Date;
}

export interface Requeued {
  readonly key: Key;
  /** Whether it was done; false: it is not dead, or it has died again; nothing was done. */
  readonly done: boolean;
  /** Where a key that was left alone stands now; absent = idle. */
  readonly state?: KeyState | undefined;
}

const MAX_NAME_CHARS = 100;

/** Returns the cause of a run that a person asked for: `replay by ana`. The name may be any text. */
export function causeOf(action: string, person: string): Cause {
  const name = person.toWellFormed().replaceAll(/\p{C}/gu, "?").slice(0, MAX_NAME_CHARS);
  return { what: `${action} by ${name}` };
}
