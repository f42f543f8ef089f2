import { DEFAULT_QUEUE } from "../../shared/runtime/backoff.ts";
import type { AnyFunction } from "../../shared/runtime/define-function.ts";
import type { Queue } from "../../shared/runtime/ports.ts";
import { type RunContext, runStep } from "../../shared/runtime/run-step.ts";

export interface WorkerOptions extends RunContext {
  readonly functions: readonly AnyFunction[];
  readonly queue: Queue;
  /** Name of this process in leases, unique among the workers of a queue. */
  readonly owner: string;
}

/**
 * Serves functions: claims their keys and runs their steps. Disposing stops claiming, lets runs finish for up to
 * 25 s and gives the rest back to the queue.
 */
export async function startWorker({
  functions,
  queue,
  owner,
  ...context
}: WorkerOptions): Promise<AsyncDisposable> {
  const serving: AsyncDisposable[] = [];
  for (const fn of functions) {
    const settings = { ...DEFAULT_QUEUE, ...fn.spec.queue, owner };
    serving.push(await queue.work(fn.spec.name, settings, (lease) => runStep(fn, lease, context)));
  }
  return {
    // Side by side, so that draining takes as long as the slowest function and not as all of them together.
    async [Symbol.asyncDispose]() {
      await Promise.all(serving.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
