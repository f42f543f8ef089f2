import { cutOffOutcome } from "../../../shared/runtime/decide/failure.ts";
import { runEntryOf } from "../../../shared/runtime/letters/run-entry.ts";
import type { RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Outcome, Queue } from "../../../shared/runtime/queue/queue-port.ts";

export interface NoteRunsOptions {
  /** The history of runs; absent where nothing is noted. */
  readonly history: Pick<RunHistory, "note"> | undefined;
  readonly clock: Clock;
}

/** Returns the same queue; every run that its workers end is noted. The ledger is not involved. */
export function noteRuns(queue: Queue, { history, clock }: NoteRunsOptions): Queue {
  if (history === undefined) return queue;
  return {
    ...queue,
    work: (name, options, run) =>
      queue.work(name, options, async (lease) => {
        const note = (outcome: Outcome): void =>
          history.note(name, lease.key, runEntryOf(lease, outcome, clock.now()));
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
