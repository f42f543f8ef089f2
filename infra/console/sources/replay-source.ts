import { MINUTE } from "../../../shared/function/backoff.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { ApartResult, ReplayApart } from "../../operate/replay/replay-apart.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import { createTurns } from "../../relay/turns.ts";
import type { ReplayLetter } from "../ports.ts";
import { problem } from "../problem.ts";

/** The time for which an answer is kept, of the same letter with the same functions. */
const REPLAYED_MS = MINUTE;
const MAX_KEPT = 20;
/** Each takes some seconds of a processor. */
const MAX_WAITING = 10;

/** Replays one letter at a time, each in a process of its own that ends with it. */
export function createReplay(openApart: () => ReplayApart, clock: Clock): ReplayLetter {
  const kept = cachedAnswers<ApartResult>({ cachedMs: REPLAYED_MS, most: MAX_KEPT, clock });
  const turns = createTurns(1);
  let waiting = 0;
  const replay = async (letter: DeadLetter): Promise<ApartResult> => {
    if (waiting >= MAX_WAITING) {
      throw problem("tooManyJobs", `${MAX_WAITING} letters wait for their replay`, "try again in a minute");
    }
    waiting += 1;
    try {
      return await turns.take(async () => {
        using apart = openApart();
        return await apart.replay(letter);
      });
    } finally {
      waiting -= 1;
    }
  };
  return (letter) =>
    kept(`${letter.function} ${letter.key} ${letter.deadSince} ${letter.times}`, () => replay(letter));
}
