import type { KindLookup } from "../../shared/api/registry.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { knownKinds } from "../../shared/function/known-kinds.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { ReadHistory, RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import type { DeletionLimit } from "../../shared/runtime/write/deletion-limit.ts";
import type { Server } from "../platform/kube/client.ts";
import { openDeletionLimit } from "../queue/deletion-limit/open.ts";
import { hintingLetters } from "../queue/hints/memory.ts";
import { historyFrom } from "../queue/history/key-history.ts";
import { openRunHistory } from "../queue/history/open.ts";
import { openDeadLetters } from "../queue/letters/open.ts";
import { createRecorder, type Recorder } from "../queue/letters/recorder.ts";
import { openSharedQueue, type SharedQueuePorts } from "../queue/open.ts";
import { type QueueSource, redisOf } from "../queue/queue-source.ts";
import type { RedisAddress } from "../queue/redis-server/connection.ts";
import type { Observed } from "../worker/observe.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { tieQueue } from "./tie-queue.ts";

interface StatePorts {
  readonly server: Server;
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
  readonly log: Log;
  /** The metrics, which start later; absent: they are not served. */
  readonly observed: () => Observed | undefined;
}

/** Everything that a process keeps, in memory or in Redis. */
interface State {
  /** Absent: all of it is in memory. */
  readonly redis: RedisAddress | undefined;
  /** Rejects once Redis belongs to another management cluster. */
  readonly lost: Promise<never>;
  readonly queue: Queue;
  /** The read model. */
  readonly store: Store;
  readonly deadLetters: DeadLetters;
  /** Absent: it is off. */
  readonly runs: RunHistory | undefined;
  /** State of the keys. */
  readonly history: ReadHistory;
  /** Absent: there is none. */
  readonly limit: DeletionLimit | undefined;
}

/** Opens the queue, the read model, the dead letters, the run history and the limit of deletions. */
export async function openState(
  options: ComposeOptions,
  { server, functions, clock, log, observed }: StatePorts,
  starting: AsyncDisposableStack,
): Promise<State> {
  const source = typeof options.queue === "string" ? { url: options.queue } : options.queue;
  const redis = redisOf(source);
  const isTemporary = options.roles.has("apiserver") && options.data === undefined;
  const { lost } = starting.use(await tieQueue({ redis, server, clock, log, isTemporary }));

  const place = { redis, file: options.deadLetters, writer: true };
  const { noteHint } = options;
  const opened = starting.use(await openDeadLetters({ ...place, clock, log }));
  // On Redis the scripts say what changes.
  const deadLetters =
    redis === undefined && noteHint !== undefined ? hintingLetters(opened, noteHint) : opened;
  const recorder = starting.use(createRecorder({ deadLetters, functions, clock, log }));
  const notes = notesFor(recorder, observed);
  const ports = { clock, log, ...notes, noteHint, limits: options.ledgerLimits ?? {} };
  const { queue, store } = await openQueueAndStore(source, knownKinds(functions), ports, starting);
  const runs = starting.use(await openRunHistory(source, { clock, log, megabytes: options.historyMb }));
  const counts = { redis, perHour: options.maxDeletionsPerHour, clock, log };
  const limit = await openDeletionLimit(counts, starting);
  return {
    redis,
    lost,
    queue,
    store: options.wrapStore?.(store) ?? store,
    deadLetters,
    runs,
    history: historyFrom(queue, runs),
    limit: limit && { ...limit, noteHeldBack: (name) => observed()?.noteHeldBack(name) },
  };
}

/** Passes each report of the queue to the dead letters, then to the metrics: a death counts when its letter exists. */
function notesFor(
  recorder: Recorder,
  observed: StatePorts["observed"],
): Pick<SharedQueuePorts, "noteFailure" | "noteCount"> {
  return {
    noteFailure: async (run) => {
      await recorder.noteFailure(run);
      await observed()?.noteFailure(run);
    },
    noteCount: (...counted) => observed()?.noteCount(...counted),
  };
}

async function openQueueAndStore(
  source: QueueSource,
  kindOf: KindLookup,
  { noteHint, ...ports }: SharedQueuePorts & Pick<ComposeOptions, "noteHint">,
  starting: AsyncDisposableStack,
): Promise<Pick<State, "queue" | "store">> {
  const redis = redisOf(source);
  if (redis === undefined) {
    const [{ createMemoryQueue }, { createMemoryStore }] = await Promise.all([
      import("../queue/memory.ts"),
      import("../queue/store/memory.ts"),
    ]);
    return {
      queue: starting.use(createMemoryQueue({ ...ports, ...(noteHint && { noteHint }) })),
      store: starting.use(createMemoryStore({ kindOf })),
    };
  }
  const { createRedisStore } = await import("../queue/store/redis.ts");
  const store = starting.use(await createRedisStore({ ...redis, kindOf, log: ports.log }));
  return { queue: starting.use(await openSharedQueue(source, ports)), store };
}
