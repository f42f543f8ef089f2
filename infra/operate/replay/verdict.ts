import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { ApartResult, ReplayApart } from "./replay-apart.ts";

/**
 * How a dead key would end with the code that is tried: the step comes to a decision that is not a failure, fails with
 * the same error, fails otherwise, or cannot be judged offline.
 */
export const VERDICTS = ["succeeds", "fails-as-before", "differs", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

interface Judged {
  readonly verdict: Verdict;
  /** The reason in words; absent when it succeeds. */
  readonly why?: string;
}

const MAX_CHARS = 300;

/** Judges a replay. Of a step whose decision was never the problem a replay says nothing: its request failed. */
export function judge(letter: DeadLetter, result: ApartResult): Judged {
  const { verdict, why } = judgement(letter, result);
  return why === undefined ? { verdict } : { verdict, why: why.slice(0, MAX_CHARS) };
}

function judgement(letter: DeadLetter, result: ApartResult): Judged {
  if (result.type === "cut" || result.type === "not replayable")
    return { verdict: "unknown", why: result.why };
  const { replayed } = result;
  if (result.type === "different") {
    return replayed.ok ? { verdict: "succeeds" } : { verdict: "differs", why: replayed.result };
  }
  if (!replayed.ok) return { verdict: "fails-as-before", why: replayed.result };
  return { verdict: "unknown", why: `it decides as it did, and ${whyRefused(letter)}` };
}

function whyRefused({ run, attempts }: DeadLetter): string {
  const failed = run?.writes.find(({ outcome }) => outcome.error !== undefined)?.outcome.error;
  return failed === undefined
    ? `the run failed by something else: ${attempts.at(-1)?.error.message ?? ""}`
    : `its request was refused: ${failed.message}`;
}

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
