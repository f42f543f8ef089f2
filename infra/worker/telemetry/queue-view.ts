import { SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Queue, QueueDepth } from "../../../shared/runtime/queue/queue-port.ts";

export interface FunctionDepth {
  readonly functionName: string;
  /** Undefined when the queue did not answer in time. */
  readonly depth: QueueDepth | undefined;
  readonly error: string | undefined;
}

export interface QueueView {
  /** Depths of every function, in their order; never rejects. Calls at the same time share one reading. */
  depths(): Promise<readonly FunctionDepth[]>;
}

/** The time for an answer, below the usual time limits of a scrape (10 s) and of a probe (several tries). */
const ANSWER_WITHIN_MS = 2 * SECOND;

/** Reads the queue for people and probes, which must get an answer even when the queue does not. */
export function viewQueue(queue: Queue, functions: readonly string[], clock: Clock): QueueView {
  const look = async (functionName: string): Promise<FunctionDepth> => {
    try {
      const depth = await answerWithin(ANSWER_WITHIN_MS, clock, () => queue.depth(functionName));
      return { functionName, depth, error: undefined };
    } catch (error) {
      const message = messageOf(error);
      return { functionName, depth: undefined, error: message };
    }
  };
  let looking: Promise<readonly FunctionDepth[]> | undefined;
  return {
    depths: () => {
      looking ??= Promise.all(functions.map(look)).finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

/** Rejects when `ask` has not answered after `limitMs`; its late answer is dropped. */
export async function answerWithin<T>(limitMs: number, clock: Clock, ask: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(new Error(`no answer within ${limitMs / SECOND} s`)));
  try {
    return await Promise.race([ask(), late.promise]);
  } finally {
    cancel();
  }
}
