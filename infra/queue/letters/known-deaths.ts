import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { deadKeys } from "../dead-keys.ts";

/** Head of a letter, with what the queue says about its key. */
export interface KnownHead extends DeadLetterHead {
  /** Whether the key is still dead; false: it was requeued, or an event has revived it; the letter stays. */
  readonly isDead: boolean;
}

/** A letter keeps at most so much of a key. */
const MAX_KEY_CHARS = 480;

/** Says of each letter whether its key is dead now. Reads the dead keys of each function that has a letter, once. */
export async function knownDeaths(
  heads: readonly DeadLetterHead[],
  queue: QueueReader,
): Promise<readonly KnownHead[]> {
  const names = [...new Set(heads.map((head) => head.function))];
  const read = names.map(async (name) => [name, await deadIn(queue, name)] as const);
  const dead = new Map(await Promise.all(read));
  return heads.map((head) => ({
    ...head,
    // No ledger holds a malformed key.
    isDead: head.reason === "Malformed" || dead.get(head.function)?.has(head.key) === true,
  }));
}

/** Returns the heads whose keys are still dead. */
export function stillDead(heads: readonly KnownHead[]): readonly DeadLetterHead[] {
  return heads.filter(({ isDead }) => isDead).map(({ isDead: _, ...head }) => head);
}

async function deadIn(queue: QueueReader, functionName: string): Promise<ReadonlySet<string>> {
  return new Set((await deadKeys(queue, functionName)).map(({ key }) => key.slice(0, MAX_KEY_CHARS)));
}
