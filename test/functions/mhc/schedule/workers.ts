import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { mhcRequests } from "../../../../functions/mhc/requests.ts";
import { remediationpolicyHistory } from "../../../../functions/remediationpolicy/history.ts";
import type { AnyFunction } from "../../../../shared/function/define-function.ts";
import { formatKey, type Key } from "../../../../shared/runtime/queue/key.ts";
import type { Outcome } from "../../../../shared/runtime/queue/queue-port.ts";
import { runStep } from "../../../../shared/runtime/run-step.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { storeOf } from "../../../support/world.ts";
import { type Connected, clientsOf } from "./clients.ts";
import type { Placed } from "./server.ts";

/** A function with the key that it is to run. */
interface Job {
  readonly fn: AnyFunction;
  readonly key: Key;
}

function jobOf(fn: AnyFunction, name: string): Job {
  const { kind } = fn.spec.reconciles;
  return { fn, key: formatKey({ tenant: "default/c1", kind, namespace: "default", name }) };
}

const FRESH_MS = mhcMachines.spec.queue?.freshMs ?? 0;
const WOKEN_WITHIN_MS = 3_000;

/** Workers that have one health check, or the policy, as their only key, and know nothing of each other. */
export interface Workers {
  /** Something has changed. */
  wake(): void;
  /** Failures of runs: errors of the test or of the functions. */
  readonly errors: readonly string[];
}

export function startWorkers(to: Connected): Workers {
  const { schedule } = to;
  const functions: readonly AnyFunction[] =
    schedule.remediator === "external" ? [mhcMachines, mhcRequests] : [mhcMachines];
  const errors: string[] = [];
  const checks = schedule.second === undefined ? ["h1"] : ["h1", "h2"];
  const jobs = [
    ...functions.flatMap((fn) => checks.map((name) => jobOf(fn, name))),
    ...(schedule.policy === undefined ? [] : [jobOf(remediationpolicyHistory, "r1")]),
  ];
  const workers = jobs.flatMap((job) =>
    Array.from({ length: schedule.workers }, () => createWorker(to, job, errors)),
  );
  return {
    wake: () => {
      for (const worker of workers) worker.wakeWithin(WOKEN_WITHIN_MS);
    },
    errors,
  };
}

interface Worker {
  wakeWithin(ms: number): void;
}

/** Runs one function: once at a time, or a second time beside the first where the schedule has duplicates. */
function createWorker(to: Connected, job: Job, errors: string[]): Worker {
  const { clock, random, schedule } = to;
  const skewMs = schedule.skewMs * (random.below(3) - 1);
  const most = schedule.hasDuplicates ? 2 : 1;
  let running = 0;
  let dueMs = Number.POSITIVE_INFINITY;
  let cancel = () => undefined as unknown;
  const wakeAfter = (ms: number): void => {
    const atMs = clock.now().getTime() + Math.max(1, Math.ceil(ms));
    if (atMs >= dueMs) return;
    cancel();
    dueMs = atMs;
    cancel = clock.after(atMs - clock.now().getTime(), begin);
  };
  const begin = (): void => {
    dueMs = Number.POSITIVE_INFINITY;
    if (running >= most) {
      wakeAfter(200);
      return;
    }
    running += 1;
    void run().finally(() => {
      running -= 1;
    });
  };
  const run = async (): Promise<void> => {
    const startedMs = clock.now().getTime();
    const lagMs = random.below(2) === 0 ? 0 : random.below(schedule.lagMs + 1);
    const isBehind = to.server.stateAt(startedMs - lagMs) !== to.server.state();
    const outcome = await runOnce(to, job, { lagMs, skewMs });
    if (outcome.type === "error" && outcome.failure.class !== "Waiting") errors.push(outcome.failure.message);
    if (outcome.type === "retry") wakeAfter(outcome.afterMs);
    if (outcome.type === "ok" && outcome.afterMs !== undefined) {
      wakeAfter(startedMs + outcome.afterMs - clock.now().getTime());
    }
    // A change that it has not seen wakes it when its snapshots have come so far.
    if (isBehind) wakeAfter(500 + random.below(lagMs));
  };
  return { wakeWithin: (ms) => wakeAfter(random.below(ms)) };
}

/** The real run, with the ledger's time for the step and a clock of its own for everything else. */
async function runOnce(
  to: Connected,
  { fn, key }: Job,
  { lagMs, skewMs }: { readonly lagMs: number; readonly skewMs: number },
): Promise<Outcome> {
  const { clock, server, random, defect, schedule } = to;
  const claimedAt = clock.now();
  const snapshot = server.stateAt(claimedAt.getTime() - lagMs);
  const isShown = ({ object: { kind } }: Placed) => schedule.isWatched || kind !== "FooRemediation";
  const placed = [...snapshot.values()].filter(isShown);
  const snapshots = defect?.snapshots?.(placed) ?? placed;
  return runStep(
    fn,
    {
      key,
      runId: `r${random.below(1_000_000)}`,
      causes: [],
      failures: 0,
      retries: 0,
      fences: [],
      claimedAt,
      isFresh: () => clock.now().getTime() - claimedAt.getTime() <= FRESH_MS,
      signal: new AbortController().signal,
    },
    {
      store: storeOf({ snapshots }),
      clients: clientsOf(to),
      clock: { now: () => new Date(clock.now().getTime() + skewMs), after: clock.after },
      log: silentLog,
    },
  );
}
