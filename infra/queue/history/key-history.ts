import type { ReadHistory, RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";

/** Returns a reader of the state and the last run of a key; without a history, of its state only. */
export function historyFrom(
  queue: Pick<Queue, "keyState">,
  history: Pick<RunHistory, "runs"> | undefined,
): ReadHistory {
  return async (functionName, key) => {
    const [state, [lastRun] = []] = await Promise.all([
      queue.keyState(functionName, key),
      history?.runs(functionName, key, 1),
    ]);
    return { ...(state === undefined ? {} : { state }), ...(lastRun === undefined ? {} : { lastRun }) };
  };
}
