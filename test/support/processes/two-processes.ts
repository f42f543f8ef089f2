import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";

export interface TwoProcesses extends AsyncDisposable {
  readonly queue: Queue;
  readonly other: Queue;
}

/** The same queue opened twice, each with its own connections, as by two processes. */
export async function twoProcesses(open: () => Promise<Queue>): Promise<TwoProcesses> {
  const [queue, other] = await Promise.all([open(), open()]);
  return {
    queue,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([queue[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
    },
  };
}
