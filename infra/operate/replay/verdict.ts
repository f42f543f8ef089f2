import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { ApartResult } from "./replay-apart.ts";

/**
 * How a dead key would end with the code that is tried: the step comes to a decision that is not a failure, fails with
 * the same error, fails otherwise, or cannot be judged offline.
 */
export const VERDICTS = ["succeeds", "fails-as-before", "differs", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judged {
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
