import type { AnyFunction } from "../../shared/function/define-function.ts";
import { groupOf } from "../../shared/function/groups.ts";
import { knownKinds } from "../../shared/function/known-kinds.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { ReadHistory, RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { Clients, Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import type { DeletionLimit } from "../../shared/runtime/write/deletion-limit.ts";
import type { Server } from "../platform/kube/client.ts";
import type { Backend, LimitPorts, QueuePorts } from "../queue/backends/backend.ts";
import { openBackend } from "../queue/backends/open.ts";
import { historyFrom } from "../queue/history/key-history.ts";
import { createRecorder, type Recorder } from "../queue/letters/recorder.ts";
import { type ClientsOptions, createClients, managementOnly } from "../relay/workload/clients.ts";
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

/** Everything that a process keeps. */
interface State {
  readonly backend: Backend;
  /** Rejects once Redis belongs to another management cluster. */
  readonly lost: Promise<never>;
  readonly queue: Queue;
  /** The read model. */
  readonly store: Store;
  readonly deadLetters: DeadLetters;
  /** The history of runs; absent where it is off. */
  readonly runs: RunHistory | undefined;
  /** State of the keys. */
  readonly history: ReadHistory;
  /** The limit of deletions; absent where there is none. */
  readonly limit: DeletionLimit | undefined;
}

/** Opens the queue, the read model, the dead letters, the run history and the limit of deletions. */
export async function openState(
  options: ComposeOptions,
  { server, functions, clock, log, observed }: StatePorts,
  starting: AsyncDisposableStack,
): Promise<State> {
  const source = typeof options.queue === "string" ? { url: options.queue } : options.queue;
  const backend = await openBackend(source);
  const isTemporary = options.roles.has("apiserver") && options.data === undefined;
  const { lost } = starting.use(await tieQueue({ backend, server, clock, log, isTemporary }));

  const { noteHint, deadLetters: file } = options;
  const deadLetters = starting.use(await backend.letters({ file, writer: true, clock, log, noteHint }));
  const recorder = starting.use(createRecorder({ deadLetters, functions, clock, log }));
  const notes = notesFor(recorder, observed);
  const ports = { clock, log, ...notes, noteHint, limits: options.ledgerLimits ?? {} };
  const store = starting.use(await backend.store({ kindOf: knownKinds(functions), log }));
  const queue = starting.use(await backend.queue(ports));
  const runs = starting.use(await backend.history({ clock, log, megabytes: options.historyMb }));
  const counts = { perHour: options.maxDeletionsPerHour, clock, log };
  const limit = await openLimit(backend, counts, starting);
  return {
    backend,
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
): Pick<QueuePorts, "noteFailure" | "noteCount"> {
  return {
    noteFailure: async (run) => {
      await recorder.noteFailure(run);
      await observed()?.noteFailure(run);
    },
    noteCount: (...counted) => observed()?.noteCount(...counted),
  };
}

/** Opens the limit of `--max-deletions-per-hour`. Returns undefined where there is none. */
export async function openLimit(
  backend: Backend,
  {
    perHour = Number.POSITIVE_INFINITY,
    ...ports
  }: Omit<LimitPorts, "perHour"> & { readonly perHour: number | undefined },
  starting: AsyncDisposableStack,
): Promise<DeletionLimit | undefined> {
  if (perHour === Number.POSITIVE_INFINITY) return undefined;
  const limit = await backend.limit({ perHour, ...ports });
  starting.defer(async () => limit[Symbol.asyncDispose]?.());
  return limit;
}

/** The clients of a worker beside no relay. Without a function of `workload` it has none of workload servers. Source: S-03 */
export function openClients(
  options: ClientsOptions,
  functions: readonly AnyFunction[],
  starting: AsyncDisposableStack,
): Clients {
  const callsWorkloads = functions.some(({ spec }) => groupOf(spec) === "workload");
  return callsWorkloads ? starting.use(createClients(options)) : managementOnly(options.management);
}
