import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { MANAGEMENT } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { ReadHistory, RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { Clients, Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment, readTraceVariables } from "../platform/config.ts";
import type { Server } from "../platform/kube/client.ts";
import type { SentRequest } from "../platform/kube/request.ts";
import { openIssuer } from "../platform/pki/open-issuer.ts";
import { openManifests } from "../platform/yaml/open-manifests.ts";
import type { Backend } from "../queue/backends/backend.ts";
import { noteRuns } from "../queue/history/note-runs.ts";
import type { Relay, RelayOptions } from "../relay/relay.ts";
import { loadFunctions } from "../worker/load.ts";
import type { Observed } from "../worker/observe.ts";
import { catchStrayErrors } from "../worker/stray-errors.ts";
import type { Tracing } from "../worker/telemetry/trace-metrics.ts";
import { startWorker, type Worker, type WorkerOptions } from "../worker/worker.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { type Connect, takeOverReconciled, workloadOptions } from "./management.ts";
import { openManagement } from "./open-management.ts";
import { openClients, openState } from "./open-state.ts";
import { startObserving } from "./start-observing.ts";
import { startReporting } from "./start-reporting.ts";
import { openLog } from "./terminal/log.ts";

/** A running composition. Disposing stops everything in reverse order of starting. */
export interface Running extends AsyncDisposable {
  readonly server: Server;
  readonly backend: Backend;
  /** Rejects when the process must end: its Redis belongs to another management cluster by now. */
  readonly ended: Promise<never>;
  readonly store: Store;
  readonly queue: Queue;
  /** State of the keys. */
  readonly history: ReadHistory;
  /** The history of runs; absent where it is off. */
  readonly runs: RunHistory | undefined;
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

const UNTRACED: Tracing = {
  traceEvent: undefined,
  queue: (queue) => queue,
  clients: (clients) => clients,
  droppedSpans: () => 0,
};

interface TracingPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Shows what is lost. */
  readonly observed: Pick<Observed, "tracesStarted"> | undefined;
}

/** Starts the parts of a process as `startParts`, and waits until its relay has listed everything once. */
export async function compose(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const running = starting.use(await startParts(options));
  await running.relay?.ready();
  starting.move();
  return running;
}

/** Starts the parts named by `roles` in one process and connects them through the ports. */
export async function startParts(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const { clock = systemClock, roles, takeOverManagers } = options;
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL, options.writeLog);
  const functions = await loadFunctions(options.functions, options.functionsDir);

  let observed: Observed | undefined;
  const noteRequest = requestNotes(() => observed);
  const managing = { clock, log, noteRequest: noteRequest(MANAGEMENT) };
  const { server, connect, kubeconfigFile } = await openManagement(options, managing, starting);
  const keeping = { server, functions, clock, log, observed: () => observed };
  const { backend, lost, runs, limit, ...state } = await openState(options, keeping, starting);
  const { store, history, deadLetters } = state;
  observed = await startObserving(
    { functions, queue: state.queue, history, runs, store, clock, log },
    { ...options, connect },
    starting,
  );
  const traces = await startTracing({ clock, log, observed }, starting);
  const queue = noteRuns(traces.queue(observed?.queue ?? state.queue), { history: runs, clock });
  if (roles.has("cloud")) await startOwnCloud(connect, { clock, log }, starting);

  const { noteResync, noteStrayError } = observed ?? {};
  const noteWorkloadRequest = noteRequest("workload");
  const shared = { store, clock, log, noteWorkloadRequest, ...workloadOptions(options) };
  const { traceEvent } = traces;
  const watching = { ...shared, functions, server, queue, takeOverManagers, noteResync, traceEvent };
  const relay = await startWatching(watching, options, starting);
  if (relay !== undefined) observed?.relayStarted(relay);
  const connected = relay?.clients ?? openClients({ ...shared, management: server }, functions, starting);
  const clients = fencedClients(traces.clients(connected), options.mayWrite);
  const owner = newOwner();
  const { namespaceRunsPerSecond } = options;
  const serving = { functions, queue, store, clients, clock, log, owner, limit, namespaceRunsPerSecond };
  const worker = roles.has("worker") ? await serve(serving, noteStrayError, starting) : undefined;
  if (worker !== undefined) observed?.workerStarted(worker);
  const parts = { functions, queue, relay, worker, clock, log };
  await startReporting(backend, { id: owner, roles, ...parts }, starting);
  const running = starting.move();
  return {
    server,
    backend,
    ended: lost,
    store,
    queue,
    history,
    runs,
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

/** Begins to trace when OTEL_EXPORTER_OTLP_ENDPOINT is set. Else no code of traces is loaded. */
async function startTracing(ports: TracingPorts, starting: AsyncDisposableStack): Promise<Tracing> {
  const variables = readTraceVariables();
  if (variables === undefined) return UNTRACED;
  const { openTraces } = await import("../worker/telemetry/traces/traces.ts");
  const traces = openTraces(variables, ports);
  if (traces === undefined) return UNTRACED;
  ports.observed?.tracesStarted(traces);
  return starting.use(traces);
}

/** Passes requests to the metrics, which start later than the connections. */
function requestNotes(observed: () => Observed | undefined) {
  return (host: Parameters<Observed["noteRequest"]>[0]) => (request: SentRequest) =>
    observed()?.noteRequest(host, request);
}

/** The cloud is not part of Capstan: it has its own connection and rate limit. */
async function startOwnCloud(
  connect: Connect,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  starting: AsyncDisposableStack,
): Promise<void> {
  const { startCloud } = await import("../playground/sim/cloud.ts");
  const server = starting.use(connect());
  starting.use(await startCloud({ serves: [{ server }], clock, log }));
}

/** Loads the relay's code only in a process that has this role. */
async function startWatching(
  relay: RelayOptions,
  options: ComposeOptions,
  starting: AsyncDisposableStack,
): Promise<Relay | undefined> {
  if (!options.roles.has("relay")) return undefined;
  // One that only connects to workload clusters stores nothing of the management cluster.
  if (options.workloads !== true) await takeOverReconciled(relay, options);
  const [{ openRelay }, { startSigning }] = await Promise.all([
    import("./open-relay.ts"),
    import("../relay/start-signing.ts"),
  ]);
  const started = starting.use(await openRelay(relay, options));
  starting.use(startSigning({ ...relay, relay: started }));
  return started;
}

/** Returns the holder of the leases of a process. */
function newOwner(): string {
  return `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

async function serve(
  serving: WorkerOptions,
  noteStrayError: Parameters<typeof catchStrayErrors>[1],
  starting: AsyncDisposableStack,
): Promise<Worker> {
  starting.use(catchStrayErrors(serving.log, noteStrayError));
  const { functions } = serving;
  const readers = { issuer: await openIssuer(functions), manifests: await openManifests(functions) };
  return starting.use(await startWorker({ ...serving, ...readers }));
}

/** The same clients; no write leaves from when `mayWrite` throws. */
function fencedClients(clients: Clients, mayWrite: (() => void) | undefined): Clients {
  if (mayWrite === undefined) return clients;
  return {
    of(cluster, functionName, sending = {}) {
      const mayGo = (): void => {
        mayWrite();
        sending.mayGo?.();
      };
      return clients.of(cluster, functionName, { ...sending, mayGo });
    },
  };
}
