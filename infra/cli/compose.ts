import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { DeadLetters, NoteFailure } from "../../shared/runtime/dead-letters-port.ts";
import type { AnyFunction } from "../../shared/runtime/define-function.ts";
import type { Clients, Clock, Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue-port.ts";
import { systemClock } from "../clock.ts";
import { packageVersion, readEnvironment } from "../config.ts";
import { openDeadLetters } from "../dead-letters/open.ts";
import { createRecorder } from "../dead-letters/recorder.ts";
import { createServer, type Server } from "../kube/client.ts";
import { loadKubeconfig } from "../kube/kubeconfig.ts";
import { ledgerUrl, openSharedQueue } from "../queue/open.ts";
import { createClients } from "../relay/connections.ts";
import { type Relay, startRelay } from "../relay/relay.ts";
import { createLog, type LogLevel } from "../telemetry/log.ts";
import { loadFunctions } from "../worker/load.ts";
import type { LoopbackAddress } from "../worker/loopback-address.ts";
import type { Observed, ObserveOptions } from "../worker/observe.ts";
import { startWorker, type Worker } from "../worker/worker.ts";
import { installCrds } from "./install-crds.ts";

/** Parts that a process can play; `up` plays all of them, `relay` and `worker` one each. */
export const ROLES = ["apiserver", "cloud", "relay", "worker"] as const;
export type Role = (typeof ROLES)[number];

export interface ComposeOptions {
  readonly roles: ReadonlySet<Role>;
  /** Management cluster; absent with the role `apiserver`. */
  readonly kubeconfig?: string | undefined;
  /** `memory`, `redis://…` or `sqs://REGION?redis=redis://…`. */
  readonly queue: string;
  readonly installCrds: boolean;
  /** Names or patterns such as `machinepool-*`. */
  readonly functions: readonly string[];
  /** Folder to load functions from instead of Capstan's own. */
  readonly functionsDir?: string | undefined;
  /** File for dead letters; default: beside the queue, for `memory` ~/.capstan/dead-letters.jsonl. */
  readonly deadLetters?: string | undefined;
  /** Port of the embedded API server; 0 = any free one. */
  readonly port: number;
  /** Where the kubeconfig of the embedded API server is written, mode 0600. */
  readonly writeKubeconfig: string;
  readonly logLevel?: LogLevel | undefined;
  /** Where metrics, health and status are served; absent = nowhere. */
  readonly metricsAddress?: LoopbackAddress | undefined;
  /** Wraps the read model, to follow what changes. */
  readonly wrapStore?: (store: Store) => Store;
}

/** A running composition. Disposing stops everything in reverse order of starting. */
export interface Running extends AsyncDisposable {
  readonly server: Server;
  readonly store: Store;
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: readonly AnyFunction[];
  readonly relay: Relay | undefined;
  readonly worker: Worker | undefined;
  /** Where metrics, health and status are served. */
  readonly metricsUrl: string | undefined;
  /** The kubeconfig that reaches the management API server. */
  readonly kubeconfigFile: string | undefined;
}

/** Starts the parts named by `roles` in one process and connects them through the ports. */
export async function compose(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const environment = readEnvironment();
  const clock = systemClock;
  const log = createLog(options.logLevel ?? environment.CAPSTAN_LOG_LEVEL);
  const functions = await loadFunctions(options.functions, options.functionsDir);

  const kubeconfigFile = options.roles.has("apiserver") ? options.writeKubeconfig : options.kubeconfig;
  if (options.roles.has("apiserver")) await startEmbedded(options, starting);
  const access = await loadKubeconfig({ file: kubeconfigFile, env: environment });
  const server = starting.use(createServer(access, { clock, version: packageVersion() }));
  if (options.installCrds || options.roles.has("apiserver")) await installCrds(server.as("up"), clock);

  const deadLetters = starting.use(
    await openDeadLetters({
      queue: ledgerUrl(options.queue),
      file: options.deadLetters,
      clock,
      log,
      writer: true,
    }),
  );
  const recorder = starting.use(createRecorder({ deadLetters, functions, clock, log }));
  let observed: Observed | undefined;
  const noteFailure: NoteFailure = async (run) => {
    await observed?.noteFailure(run);
    await recorder.noteFailure(run);
  };
  const opened = await openQueueAndStore(options.queue, { clock, log, noteFailure }, starting);
  const store = options.wrapStore?.(opened.store) ?? opened.store;
  observed = await startObserving(
    { ...options, functions, queue: opened.queue, store, clock, log },
    starting,
  );
  const queue = observed?.queue ?? opened.queue;
  if (options.roles.has("cloud")) {
    const { startCloud } = await import("../sim/cloud.ts");
    // The cloud is not Capstan: it has a connection and a rate limit of its own.
    const ownServer = starting.use(createServer(access, { clock, version: packageVersion() }));
    starting.use(await startCloud({ server: ownServer, clock, log }));
  }
  const relay = options.roles.has("relay")
    ? starting.use(await startRelay({ functions, server, store, queue, clock, log }))
    : undefined;
  if (relay !== undefined) observed?.relayStarted(relay);
  const clients: Clients =
    relay?.clients ?? starting.use(createClients({ management: server, store, clock, log }));
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const worker = options.roles.has("worker")
    ? starting.use(await startWorker({ functions, queue, store, clients, clock, log, owner }))
    : undefined;
  if (worker !== undefined) observed?.workerStarted(worker);
  await relay?.ready();
  const running = starting.move();
  return {
    server,
    store,
    queue,
    deadLetters,
    clock,
    log,
    functions,
    relay,
    worker,
    metricsUrl: observed?.url,
    kubeconfigFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Loads nothing of it unless somebody wants to look. */
async function startObserving(
  {
    metricsAddress,
    roles,
    ...parts
  }: Pick<ComposeOptions, "metricsAddress" | "roles"> & Omit<ObserveOptions, "address" | "version" | "parts">,
  starting: AsyncDisposableStack,
): Promise<Observed | undefined> {
  if (metricsAddress === undefined) return undefined;
  const { observe } = await import("../worker/observe.ts");
  return starting.use(
    await observe({
      ...parts,
      address: metricsAddress,
      version: packageVersion(),
      parts: { relay: roles.has("relay"), worker: roles.has("worker") },
    }),
  );
}

async function startEmbedded(options: ComposeOptions, starting: AsyncDisposableStack): Promise<void> {
  const { startApiServer } = await import("../apiserver/server.ts");
  const embedded = starting.use(await startApiServer({ name: "capstan", port: options.port }));
  await mkdir(dirname(options.writeKubeconfig), { recursive: true });
  await writeFile(options.writeKubeconfig, embedded.kubeconfig(), { mode: 0o600 });
}

async function openQueueAndStore(
  url: string,
  ports: { readonly clock: Clock; readonly log: Log; readonly noteFailure: NoteFailure },
  starting: AsyncDisposableStack,
): Promise<{ readonly queue: Queue; readonly store: Store }> {
  if (url === "memory") {
    const [{ createMemoryQueue }, { createMemoryStore }] = await Promise.all([
      import("../queue/memory.ts"),
      import("../store/memory.ts"),
    ]);
    return { queue: starting.use(createMemoryQueue(ports)), store: starting.use(createMemoryStore()) };
  }
  const { createRedisStore } = await import("../store/redis.ts");
  const store = starting.use(await createRedisStore({ url: ledgerUrl(url), log: ports.log }));
  return { queue: starting.use(await openSharedQueue(url, ports)), store };
}
