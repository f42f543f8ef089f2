import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { NO_RUNS } from "../../../shared/runtime/queue/run-counts.ts";
import {
  ALL_FUNCTIONS,
  SAMPLE_EVERY_MS,
  type Sample,
  type Samples,
} from "../../../shared/runtime/queue/samples.ts";

export interface SamplingOptions {
  readonly queue: QueueReader;
  readonly functions: readonly string[];
  readonly samples: Samples;
  readonly clock: Clock;
  readonly log: Log;
}

/** Notes how every function stands, and all together, every 10 s. While queue or samples are away, rows are missing. */
export function startSampling({ queue, functions, samples, clock, log }: SamplingOptions): AsyncDisposable {
  let underWay: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  let closed = false;
  const sample = async (name: string, at: number): Promise<Sample> => {
    const { ready, waiting, running, dead, oldestReadyMs = {}, counts } = await queue.peek(name);
    const oldest = Math.max(0, oldestReadyMs.live ?? 0, oldestReadyMs.resync ?? 0);
    const noted = { at, ready, waiting, running, dead, oldestReadyMs: oldest, ...counts };
    await samples.note(name, noted);
    return noted;
  };
  const sampleAll = async (): Promise<void> => {
    const at = Math.floor(clock.now().getTime() / SAMPLE_EVERY_MS) * SAMPLE_EVERY_MS;
    const ended = await Promise.allSettled(functions.map((name) => sample(name, at)));
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected")
      return log.debug({ error: String(failed.reason) }, "a sample is missing");
    const noted = ended.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    await samples.note(ALL_FUNCTIONS, sumOf(noted, at));
  };
  const later = (): void => {
    if (closed) return;
    const untilNextMs = SAMPLE_EVERY_MS - (clock.now().getTime() % SAMPLE_EVERY_MS);
    cancel = clock.after(untilNextMs, () => {
      underWay = sampleAll()
        .catch((error: unknown) => log.debug({ error: String(error) }, "a sample is missing"))
        .then(later);
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

/** The oldest ready key is that of all. */
function sumOf(all: readonly Sample[], at: number): Sample {
  const sum = (of: (each: Sample) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    at,
    ready: sum(({ ready }) => ready),
    waiting: sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    dead: sum(({ dead }) => dead),
    oldestReadyMs: Math.max(0, ...all.map(({ oldestReadyMs }) => oldestReadyMs)),
    failures: sum(({ failures }) => failures),
    durations: NO_RUNS.durations.map((_, group) => sum(({ durations }) => durations[group] ?? 0)),
  };
}
