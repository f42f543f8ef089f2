import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { ApartResult, ReplayApart } from "./replay-apart.ts";
import { type Judged, judge } from "./verdict.ts";

export interface Tried extends Judged {
  readonly function: string;
  readonly key: Key;
  /** The time of death of the letter that was tried: a key that has died again since has another one. */
  readonly deadSince: string;
  readonly times: number;
}

/**
 * Replays each letter offline and yields how it would end; nothing is sent. A letter whose replay is cut, or whose
 * function cannot be loaded, is `unknown`, and the next one follows. Ends early when `signal` aborts.
 */
export async function* tryLetters(
  letters: AsyncIterable<DeadLetter>,
  apart: Pick<ReplayApart, "replay">,
  signal?: AbortSignal,
): AsyncIterable<Tried> {
  for await (const letter of letters) {
    if (signal?.aborted === true) return;
    const { function: name, key, deadSince, times } = letter;
    yield { function: name, key, deadSince, times, ...judge(letter, await replayOf(apart, letter)) };
  }
}

function replayOf(apart: Pick<ReplayApart, "replay">, letter: DeadLetter): Promise<ApartResult> {
  return apart.replay(letter).catch((error: Error) => ({ type: "cut", why: error.message }));
}
