import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Lease, Outcome, Queue } from "../../shared/runtime/queue/queue-port.ts";
import { type RunContext, runStep } from "../../shared/runtime/run-step.ts";
import type { SentEvents } from "../../shared/runtime/write/send-events.ts";
import { asOriginOfErrors } from "./stray-errors.ts";

export interface WorkerOptions extends RunContext {
  readonly functions: readonly AnyFunction[];
  readonly queue: Queue;
  /** Name of this process in leases, unique among the workers of a queue. */
  readonly owner: string;
  /** Runs a second of each function for the objects of one namespace (S-31). Default: any number. */
  readonly namespaceRunsPerSecond?: number | undefined;
}

/** A worker that serves. Disposing it drains. */
export interface Worker extends AsyncDisposable {
  status(): WorkerStatus;
}

export interface WorkerStatus {
  /** Runs in progress. */
  readonly running: number;
  /** It claims nothing any more. */
  readonly draining: boolean;
}

/**
 * Serves functions: claims their keys and runs their steps. Disposing stops claiming, lets runs finish for up to
 * 25 s and gives the rest back to the queue.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { functions, queue, owner, namespaceRunsPerSecond, ...context } = options;
  const { log } = context;
  const sentEvents: SentEvents = new Map();
  let running = 0;
  let draining = false;
  const counted = async (fn: AnyFunction, lease: Lease): Promise<Outcome> => {
    running += 1;
    try {
      return await asOriginOfErrors(fn.spec.name, lease, () =>
        runStep(fn, lease, { ...context, sentEvents }),
      );
    } finally {
      running -= 1;
    }
  };
  const serving: AsyncDisposable[] = [];
  for (const fn of functions) {
    const settings = { ...DEFAULT_QUEUE, ...fn.spec.queue, owner, namespaceRunsPerSecond };
    serving.push(await queue.work(fn.spec.name, settings, (lease) => counted(fn, lease)));
  }
  log.info({ owner, functions: functions.map(({ spec }) => spec.name) }, "the worker serves");
  return {
    status: () => ({ running, draining }),
    // Side by side, so that draining takes as long as the slowest function and not as all of them together.
    async [Symbol.asyncDispose]() {
      draining = true;
      log.info({ owner, running }, "the worker drains");
      await Promise.all(serving.map((one) => one[Symbol.asyncDispose]()));
      log.info({ owner, running }, "the worker has stopped");
    },
  };
}
