import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { MANAGEMENT } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { ReadHistory } from "../../shared/runtime/last-run.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue-port.ts";
import { systemClock } from "../clock.ts";
import { readEnvironment } from "../config.ts";
import { openDeadLetters } from "../dead-letters/open.ts";
import { createRecorder, type Recorder } from "../dead-letters/recorder.ts";
import type { Server, ServerOptions } from "../kube/client.ts";
import type { SentRequest } from "../kube/request.ts";
import { openIssuer } from "../pki/open-issuer.ts";
import { writePrivateFile } from "../private-file.ts";
import { historyFrom, noteRuns } from "../queue/last-runs.ts";
import { openLastRuns, openSharedQueue, type SharedQueuePorts } from "../queue/open.ts";
import { type QueueSource, redisOf } from "../queue/queue-source.ts";
import type { Relay, RelayOptions } from "../relay/relay.ts";
import type { LogLevel } from "../telemetry/log.ts";
import { giveBackMemory } from "../worker/give-back-memory.ts";
import { loadFunctions } from "../worker/load.ts";
import type { LoopbackAddress } from "../worker/loopback-address.ts";
import type { Observed } from "../worker/observe.ts";
import { catchStrayErrors } from "../worker/stray-errors.ts";
import { startWorker, type Worker, type WorkerOptions } from "../worker/worker.ts";
import type { ListenOptions } from "./listen-options.ts";
import {
  managementRate,
  type RequestOptions,
  readManagement,
  takeOverReconciled,
  workloadOptions,
} from "./management.ts";
import type { RelayScope } from "./open-relay.ts";
import { startObserving } from "./start-observing.ts";
import { startReporting } from "./start-reporting.ts";
import { startTracing } from "./start-tracing.ts";
import { openLog } from "./terminal/log.ts";
import { tieQueue } from "./tie-queue.ts";
import { fencedClients, openClients } from "./worker-clients.ts";

/** Parts that a process can play; `up` plays all of them, `relay` and `worker` one each. */
export const ROLES = ["apiserver", "cloud", "relay", "worker"] as const;
export type Role = (typeof ROLES)[number];

export interface ComposeOptions extends RequestOptions, RelayScope, ListenOptions {
  readonly roles: ReadonlySet<Role>;
  /** Management cluster; absent with the role `apiserver`. */
  readonly kubeconfig?: string | undefined;
  /** Also its URL alone: `memory`, `redis://…` or `sqs://REGION?redis=redis://…`. */
  readonly queue: string | QueueSource;
  readonly installCrds: boolean;
  /** Names, patterns such as `machinepool-*`, or groups such as `workload`. */
  readonly functions: readonly string[];
  /** Folder to load functions from instead of Capstan's own. */
  readonly functionsDir?: string | undefined;
  /** File for dead letters; default: beside the queue, for `memory` ~/.capstan/dead-letters.jsonl. */
  readonly deadLetters?: string | undefined;
  /** Port of the embedded API server; 0 = any free one. */
  readonly port: number;
  /** Folder where the embedded API server keeps its objects; absent = in memory. */
  readonly data?: string | undefined;
  /** Where the kubeconfig of the embedded API server is written, mode 0600. */
  readonly writeKubeconfig: string;
  readonly logLevel?: LogLevel | undefined;
  /** Gets the lines of the log that are for people, on a terminal. */
  readonly writeLog?: (text: string) => unknown;
  /** Address for metrics, health and status; absent = they are not served. */
  readonly metricsAddress?: LoopbackAddress | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
  /** Opens connections to the management API server. Default: over the network. */
  readonly connectManagement?: ServerOptions["connect"];
  /** Asked before each write of a function: throws when nothing may be sent from now on. */
  readonly mayWrite?: (() => void) | undefined;
  /** Wraps the read model, to follow its changes. */
  readonly wrapStore?: (store: Store) => Store;
}

/** A running composition. Disposing stops everything in reverse order of starting. */
export interface Running extends AsyncDisposable {
  readonly server: Server;
  readonly store: Store;
  readonly queue: Queue;
  /** State of the keys. */
  readonly history: ReadHistory;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: readonly AnyFunction[];
  readonly relay: Relay | undefined;
  readonly worker: Worker | undefined;
  /** Where metrics, health and status are served. */
  readonly metricsUrl: string | undefined;
  /** Port of the diagnostics. */
  readonly diagnosticsPort: number | undefined;
  /** Whether it can do its work; false where no listener of it says so. */
  isReady(): Promise<boolean>;
  /** The kubeconfig that reaches the management API server. */
  readonly kubeconfigFile: string | undefined;
}

/** Starts the parts of a process as `startParts`, and waits until its relay has listed everything once. */
export async function compose(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const running = starting.use(await startParts(options));
  await running.relay?.ready();
  starting.use(giveBackMemory());
  const all = starting.move();
  return { ...running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Starts the parts named by `roles` in one process and connects them through the ports. */
export async function startParts(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const { clock = systemClock, takeOverManagers } = options;
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL, options.writeLog);
  const functions = await loadFunctions(options.functions, options.functionsDir);

  const kubeconfigFile = options.roles.has("apiserver") ? options.writeKubeconfig : options.kubeconfig;
  if (options.roles.has("apiserver")) await startEmbedded(options, starting);
  let observed: Observed | undefined;
  const noteRequest = requestNotes(() => observed);
  const connect = await readManagement(kubeconfigFile, {
    clock,
    log,
    connect: options.connectManagement,
    noteRequest: noteRequest(MANAGEMENT),
  });
  const server = starting.use(connect(managementRate(options)));
  if (options.installCrds || options.roles.has("apiserver")) {
    const { installCrds } = await import("./install-crds.ts");
    await installCrds(server.as("up"), clock);
  }

  const isTemporary = options.roles.has("apiserver") && options.data === undefined;
  const source = typeof options.queue === "string" ? { url: options.queue } : options.queue;
  const redis = redisOf(source);
  starting.use(await tieQueue({ redis, server, log, isTemporary }));

  const place = { redis, file: options.deadLetters, writer: true };
  const deadLetters = starting.use(await openDeadLetters({ ...place, clock, log }));
  const recorder = starting.use(createRecorder({ deadLetters, functions, clock, log }));
  const notes = notesFor(recorder, () => observed);
  const opened = await openQueueAndStore(source, { clock, log, ...notes }, starting);
  const store = options.wrapStore?.(opened.store) ?? opened.store;
  const lastRuns = starting.use(await openLastRuns(source, { clock, log }));
  const history = historyFrom(opened.queue, lastRuns);
  observed = await startObserving(
    { functions, queue: opened.queue, history, store, clock, log },
    { ...options, connect },
    starting,
  );
  const traces = await startTracing({ clock, log, observed }, starting);
  const queue = noteRuns(traces.queue(observed?.queue ?? opened.queue), { lastRuns, clock });
  if (options.roles.has("cloud")) {
    const { startCloud } = await import("../sim/cloud.ts");
    // The cloud is not part of Capstan: it has its own connection and rate limit.
    const ownServer = starting.use(connect());
    starting.use(await startCloud({ serves: [{ server: ownServer }], clock, log }));
  }
  const { noteResync, noteStrayError } = observed ?? {};
  const noteWorkloadRequest = noteRequest("workload");
  const shared = { store, clock, log, noteWorkloadRequest, ...workloadOptions(options) };
  const watching = {
    ...shared,
    functions,
    server,
    queue,
    takeOverManagers,
    noteResync,
    traceEvent: traces.traceEvent,
  };
  const relay = starting.use(await startWatching(watching, options));
  if (relay !== undefined) observed?.relayStarted(relay);
  const connected = relay?.clients ?? openClients({ ...shared, management: server }, functions, starting);
  const clients = fencedClients(traces.clients(connected), options.mayWrite);
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const serving = { functions, queue, store, clients, clock, log, owner };
  const worker = options.roles.has("worker") ? await serve(serving, noteStrayError, starting) : undefined;
  if (worker !== undefined) observed?.workerStarted(worker);
  const parts = { functions, queue, relay, worker, clock, log };
  await startReporting(redis, { id: owner, roles: options.roles, ...parts }, starting);
  const running = starting.move();
  return {
    server,
    store,
    queue,
    history,
    deadLetters,
    clock,
    log,
    functions,
    relay,
    worker,
    metricsUrl: observed?.url,
    diagnosticsPort: observed?.diagnosticsPort,
    isReady: async () => (await observed?.isReady()) ?? false,
    kubeconfigFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Passes each report of the queue to the dead letters, then to the metrics: a death counts when its letter exists. */
function notesFor(
  recorder: Recorder,
  observed: () => Observed | undefined,
): Pick<SharedQueuePorts, "noteFailure" | "noteCount"> {
  return {
    noteFailure: async (run) => {
      await recorder.noteFailure(run);
      await observed()?.noteFailure(run);
    },
    noteCount: (...counted) => observed()?.noteCount(...counted),
  };
}

/** Passes requests to the metrics, which start later than the connections. */
function requestNotes(observed: () => Observed | undefined) {
  return (host: Parameters<Observed["noteRequest"]>[0]) => (request: SentRequest) =>
    observed()?.noteRequest(host, request);
}

async function serve(
  serving: WorkerOptions,
  noteStrayError: Parameters<typeof catchStrayErrors>[1],
  starting: AsyncDisposableStack,
): Promise<Worker> {
  starting.use(catchStrayErrors(serving.log, noteStrayError));
  return starting.use(await startWorker({ ...serving, issuer: await openIssuer(serving.functions) }));
}

/** Loads the relay's code only in a process that has this role. */
async function startWatching(relay: RelayOptions, options: ComposeOptions): Promise<Relay | undefined> {
  if (!options.roles.has("relay")) return undefined;
  // One that only connects to workload clusters stores nothing of the management cluster.
  if (options.workloads !== true) await takeOverReconciled(relay.server, relay.functions, options);
  const { openRelay } = await import("./open-relay.ts");
  return openRelay(relay, options);
}

async function startEmbedded(options: ComposeOptions, starting: AsyncDisposableStack): Promise<void> {
  const { startApiServer } = await import("../apiserver/entry.ts");
  const { port, data } = options;
  const embedded = starting.use(
    await startApiServer({ name: "capstan", port, ...(data === undefined ? {} : { data }) }),
  );
  await writePrivateFile(options.writeKubeconfig, embedded.kubeconfig());
}

async function openQueueAndStore(
  source: QueueSource,
  ports: SharedQueuePorts,
  starting: AsyncDisposableStack,
): Promise<{ readonly queue: Queue; readonly store: Store }> {
  const redis = redisOf(source);
  if (redis === undefined) {
    const [{ createMemoryQueue }, { createMemoryStore }] = await Promise.all([
      import("../queue/memory.ts"),
      import("../store/memory.ts"),
    ]);
    return { queue: starting.use(createMemoryQueue(ports)), store: starting.use(createMemoryStore()) };
  }
  const { createRedisStore } = await import("../store/redis.ts");
  const store = starting.use(await createRedisStore({ ...redis, log: ports.log }));
  return { queue: starting.use(await openSharedQueue(source, ports)), store };
}
