import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { rest } from "../platform/rest.ts";

const BASE_MS = 100;
const CAP_MS = 5_000;

/**
 * Repeats `work` until it succeeds: while the store or the queue is away, the caller waits and nothing is lost.
 * Rejects only when `signal` aborts.
 */
export async function untilAccepted<T>(
  work: () => Promise<T>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ failures, error: String(error) }, "the store or the queue refused a call; retrying");
      await rest(Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 10)), clock, signal);
    }
  }
}
