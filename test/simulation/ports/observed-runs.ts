import type { AttemptRecord } from "../../../shared/runtime/attempt-record.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Lease, Outcome, Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { Kernel, Process } from "../kernel/kernel.ts";

/** One run of a function, as the queue has handed it out. */
export interface ObservedRun {
  readonly runId: string;
  readonly functionName: string;
  readonly key: Key;
  readonly process: Process;
  readonly lease: Lease;
  /** Of simulated time, ms since the epoch. */
  readonly startedAt: number;
  /** Of the kernel. */
  readonly startedInStep: number;
  /** Its reads, decision and requests so far. */
  readonly record: AttemptRecord | undefined;
  /** How it ended; undefined while it runs, and for ever when its process was killed. */
  readonly outcome: Outcome | undefined;
}

/** Every run of every worker. */
export interface ObservedRuns {
  /** The same queue; who works on it is watched. */
  watch(queue: Queue, process: Process): Queue;
  /** By the id that its requests name (F-15). */
  of(runId: string): ObservedRun | undefined;
  /** Those that have begun and not ended. */
  readonly active: readonly ObservedRun[];
  /** Called when a worker has begun, before the function has read anything. */
  onBegin(observer: (run: ObservedRun) => void): void;
  onEnd(observer: (run: ObservedRun & { readonly outcome: Outcome }) => void): void;
}

export function createObservedRuns(kernel: Kernel): ObservedRuns {
  const runs = new Map<string, ObservedRun>();
  const begins: ((run: ObservedRun) => void)[] = [];
  const ends: ((run: ObservedRun & { readonly outcome: Outcome }) => void)[] = [];

  const observe = async (
    run: (lease: Lease) => Promise<Outcome>,
    lease: Lease,
    of: Pick<ObservedRun, "functionName" | "process">,
  ): Promise<Outcome> => {
    const { runId, key } = lease;
    const seen = new Progress({
      ...of,
      runId,
      key,
      lease,
      startedAt: kernel.now,
      startedInStep: kernel.steps,
    });
    runs.set(runId, seen);
    for (const begin of begins) begin(seen);
    const recordFrom = (soFar: () => AttemptRecord): void => {
      seen.recordSoFar = soFar;
      lease.recordFrom?.(soFar);
    };
    const outcome = await run({ ...lease, recordFrom });
    seen.outcome = outcome;
    if (of.process.isAlive) for (const end of ends) end(Object.assign(seen, { outcome }));
    return outcome;
  };

  return {
    of: (runId) => runs.get(runId),
    onBegin: (observer) => void begins.push(observer),
    onEnd: (observer) => void ends.push(observer),
    get active() {
      return [...runs.values()].filter(({ process, outcome }) => process.isAlive && outcome === undefined);
    },
    watch: (queue, process) => ({
      ...queue,
      work: (functionName, options, run) =>
        queue.work(functionName, options, (lease) => observe(run, lease, { functionName, process })),
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    }),
  };
}

type Begun = Omit<ObservedRun, "record" | "outcome">;

class Progress implements ObservedRun {
  readonly runId: string;
  readonly functionName: string;
  readonly key: Key;
  readonly process: Process;
  readonly lease: Lease;
  readonly startedAt: number;
  readonly startedInStep: number;
  recordSoFar: (() => AttemptRecord) | undefined;
  outcome: Outcome | undefined;

  constructor({ runId, functionName, key, process, lease, startedAt, startedInStep }: Begun) {
    this.runId = runId;
    this.functionName = functionName;
    this.key = key;
    this.process = process;
    this.lease = lease;
    this.startedAt = startedAt;
    this.startedInStep = startedInStep;
  }

  get record(): AttemptRecord | undefined {
    return this.outcome?.record ?? this.recordSoFar?.();
  }
}
