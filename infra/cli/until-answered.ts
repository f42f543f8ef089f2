import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { rest } from "../platform/rest.ts";

const AGAIN_MS = 2 * SECOND;

interface Patience {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** The time until the last attempt; absent: there is none. */
  readonly withinMs?: number;
}

/**
 * Asks until the API server answers: the start of a process that ended because a server is slow, starting or waits for a
 * dead webhook would only begin again. Logs each reason once. Throws a refusal at once, and the last failure when the time
 * is over.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  { clock, log, withinMs = Number.POSITIVE_INFINITY }: Patience,
): Promise<T> {
  const lastAt = clock.now().getTime() + withinMs;
  let said: string | undefined;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayAnswer(error)) throw error;
      if (clock.now().getTime() >= lastAt) throw tooLate(error);
      if (error.message !== said) log?.warn({ error: error.message }, "the start waits for the API server");
      said = error.message;
    }
    await rest(AGAIN_MS, clock);
  }
}

function mayAnswer(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

function tooLate(cause: KubeError): Error {
  const next = "the API server has not answered in time; look at its load and its log, then start again";
  return new Error(`${cause.message}: ${next}`, { cause });
}
