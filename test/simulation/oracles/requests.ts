import type { Cause, Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import type { Oracle } from "./oracle.ts";
import { onWrite } from "./sent-write.ts";

/** Causes that a run may name (F-15). */
const MAX_CAUSES = 10;

/** Requests of functions: F-07, F-15. */
export const requests: readonly Oracle[] = [
  {
    number: "F-07",
    title: "no change, no request: a write of a function changes the object, while nothing goes wrong",
    watch({ world, violated, evaluated, faultsSoFar }) {
      const versions = new Map<string, string>();
      onWrite(world, ({ answer, title }) => {
        const { uid, resourceVersion, deletionTimestamp } = answer?.metadata ?? {};
        if (uid === undefined || resourceVersion === undefined) return;
        // The client that removes the last finalizer is shown the object as it was.
        const isVain = versions.get(uid) === resourceVersion && deletionTimestamp === undefined;
        evaluated();
        if (isVain && faultsSoFar() === 0) violated(`in vain: ${title}`);
        versions.set(uid, resourceVersion);
      });
    },
  },
  {
    number: "F-15",
    title: "every write of a function names its run, and the run knows why it is there",
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ run, runId, title }) => {
        evaluated();
        if (runId === undefined) violated(`no run: ${title}`);
        else if (run === undefined) violated(`run ${runId} is unknown: ${title}`);
        else if (run.record === undefined) violated(`nothing is recorded of run ${runId}: ${title}`);
      });
      world.ledger.onClaim((functionName, { key, causes }) => {
        if (causes.length > MAX_CAUSES) violated(`${functionName} ${key} names ${causes.length} causes`);
      });
    },
  },
  {
    number: "F-15",
    title: "the next run that a run plans stands in the queue, not in the memory of a worker",
    watch({ world: { runs, ledger }, violated, evaluated }) {
      /** By the causes that were handed out with the claim: two runs of one key may overlap. */
      const ended = new WeakMap<readonly Cause[], Outcome>();
      runs.onEnd(({ lease, outcome }) => ended.set(lease.causes, outcome));
      ledger.onFinish(({ functionName, claim, accepted, outcome: reported }) => {
        const name = `${functionName} ${claim.key}`;
        const outcome = ended.get(claim.causes);
        if (!accepted || reported.type !== "ok" || outcome?.type !== "ok" || outcome.afterMs === undefined)
          return;
        evaluated();
        if (ledger.stateOf(functionName, claim.key) === undefined)
          violated(`${name} plans a run in ${outcome.afterMs} ms, of which the queue knows nothing`);
      });
    },
  },
];
