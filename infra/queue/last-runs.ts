import { cutOffOutcome } from "../../shared/runtime/failure.ts";
import { type LastRun, type LastRuns, lastRunOf, type ReadHistory } from "../../shared/runtime/last-run.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Outcome, Queue } from "../../shared/runtime/queue-port.ts";

/** Takes about 4 MB. */
const MAX_RUNS = 10_000;

/** Keeps the last runs of one process: the newest 5,000 at least, and 10,000 at most. */
export function createMemoryLastRuns(maxRuns: number = MAX_RUNS): LastRuns {
  // A Map that loses its oldest entry again and again is slow to find it, and an iterator that waits there keeps alive
  // all that the Map has ever held.
  let newer = new Map<string, LastRun>();
  let older: ReadonlyMap<string, LastRun> = new Map();
  const idOf = (functionName: string, key: string): string => `${functionName} ${key}`;
  return {
    note(functionName, key, run) {
      const id = idOf(functionName, key);
      if (!newer.has(id) && newer.size >= maxRuns / 2) {
        older = newer;
        newer = new Map();
      }
      newer.set(id, run);
    },
    async get(functionName, key) {
      const id = idOf(functionName, key);
      return newer.get(id) ?? older.get(id);
    },
    async [Symbol.asyncDispose]() {
      newer.clear();
      older = newer;
    },
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
