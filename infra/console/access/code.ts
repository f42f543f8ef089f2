import { createHash, timingSafeEqual } from "node:crypto";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { createTokenBucket } from "../../platform/token-bucket.ts";
import { problem } from "../problem.ts";

const CODE_BYTES = 16;
const TRIES_PER_MINUTE = 10;

/** The secret in the link that the terminal shows. */
export interface Code {
  readonly text: string;
  /** Returns when it is the code; throws the Problem otherwise, and after 10 wrong ones a minute for each. */
  check(guess: string): void;
}

/** A code of 128 bits. Other users of the machine do not see the terminal. */
export function createCode(random: Pick<Random, "id">, clock: Clock): Code {
  const text = random.id(CODE_BYTES);
  const wrong = createTokenBucket(clock, {
    perSecond: TRIES_PER_MINUTE / (MINUTE / SECOND),
    burst: TRIES_PER_MINUTE,
  });
  return {
    text,
    check(guess) {
      // Refused also when it is right: an answer would be a guess more.
      if (wrong.debtAfterMs(1) > 0) {
        throw problem(
          "tooManyTries",
          `there were ${TRIES_PER_MINUTE} wrong codes within a minute`,
          "wait a minute",
        );
      }
      if (timingSafeEqual(digestOf(guess), digestOf(text))) return;
      wrong.take(1);
      throw problem(
        "unauthorized",
        "the code is wrong",
        "open the link that the terminal of this console shows",
        { signIn: "link" },
      );
    },
  };
}

/** Returns a digest of one length, whatever was sent. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
