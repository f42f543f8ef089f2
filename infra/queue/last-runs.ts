import { cutOffOutcome } from "../../shared/runtime/failure.ts";
import { type LastRun, type LastRuns, lastRunOf, type ReadHistory } from "../../shared/runtime/last-run.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Outcome, Queue } from "../../shared/runtime/queue-port.ts";

/** Takes about 4 MB. */
const MAX_RUNS = 10_000;

/** Keeps the last runs of one process; beyond 10,000 the oldest are forgotten. */
export function createMemoryLastRuns(maxRuns: number = MAX_RUNS): LastRuns {
  const runs = new Map<string, LastRun>();
  /** Continues where it was: runs before it have been forgotten or noted again. */
  const oldestFirst = runs.keys();
  const idOf = (functionName: string, key: string): string => `${functionName} ${key}`;
  return {
    note(functionName, key, run) {
      const id = idOf(functionName, key);
      runs.delete(id);
      runs.set(id, run);
      if (runs.size <= maxRuns) return;
      const oldest = oldestFirst.next().value;
      if (oldest !== undefined) runs.delete(oldest);
    },
    get: async (functionName, key) => runs.get(idOf(functionName, key)),
    [Symbol.asyncDispose]: async () => runs.clear(),
  };
}

/** Returns the same queue; every run that its workers end is noted. The ledger is not involved. */
export function noteRuns(
  queue: Queue,
  { lastRuns, clock }: { readonly lastRuns: LastRuns; readonly clock: Clock },
): Queue {
  return {
    ...queue,
    work: (name, options, run) =>
      queue.work(name, options, async (lease) => {
        const note = (outcome: Outcome): void =>
          lastRuns.note(name, lease.key, lastRunOf(lease, outcome, clock.now()));
        // When a run that was cut off returns, a newer one may have been noted.
        const noteCutOff = (): void => note(cutOffOutcome(lease.signal));
        lease.signal.addEventListener("abort", noteCutOff, { once: true });
        const outcome = await run(lease);
        lease.signal.removeEventListener("abort", noteCutOff);
        if (!lease.signal.aborted) note(outcome);
        return outcome;
      }),
  };
}

/** Returns a reader of the state and the last run of a key. */
export function historyFrom(queue: Pick<Queue, "keyState">, lastRuns: Pick<LastRuns, "get">): ReadHistory {
  return async (functionName, key) => {
    const [state, lastRun] = await Promise.all([
      queue.keyState(functionName, key),
      lastRuns.get(functionName, key),
    ]);
    return { ...(state === undefined ? {} : { state }), ...(lastRun === undefined ? {} : { lastRun }) };
  };
}
