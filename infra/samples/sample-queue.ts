import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { QueueReader } from "../../shared/runtime/queue-reader.ts";
import { SAMPLE_EVERY_MS, type Samples } from "../../shared/runtime/samples.ts";

export interface SamplingOptions {
  readonly queue: QueueReader;
  readonly functions: readonly string[];
  readonly samples: Samples;
  readonly clock: Clock;
  readonly log: Log;
}

/** Notes how every function stands, every 10 s. While queue or samples are away, rows are missing. */
export function startSampling({ queue, functions, samples, clock, log }: SamplingOptions): AsyncDisposable {
  let underWay: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  let closed = false;
  const sample = async (name: string, at: number): Promise<void> => {
    const { ready, waiting, running, dead, oldestReadyMs = {}, counts } = await queue.peek(name);
    const oldest = Math.max(0, oldestReadyMs.live ?? 0, oldestReadyMs.resync ?? 0);
    await samples.note(name, { at, ready, waiting, running, dead, oldestReadyMs: oldest, ...counts });
  };
  const sampleAll = async (): Promise<void> => {
    const at = Math.floor(clock.now().getTime() / SAMPLE_EVERY_MS) * SAMPLE_EVERY_MS;
    const ended = await Promise.allSettled(functions.map((name) => sample(name, at)));
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") log.debug({ error: String(failed.reason) }, "a sample is missing");
  };
  const later = (): void => {
    if (closed) return;
    const untilNextMs = SAMPLE_EVERY_MS - (clock.now().getTime() % SAMPLE_EVERY_MS);
    cancel = clock.after(untilNextMs, () => {
      underWay = sampleAll().then(later);
    });
  };
  later();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      cancel();
      await underWay;
    },
  };
}
