import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { AnyFunction } from "../../shared/runtime/define-function.ts";
import type { Clients, Clock, Log, Queue, Store } from "../../shared/runtime/ports.ts";
import { systemClock } from "../clock.ts";
import { packageVersion, readEnvironment } from "../config.ts";
import { createServer, type Server } from "../kube/client.ts";
import { loadKubeconfig } from "../kube/kubeconfig.ts";
import { createClients } from "../relay/connections.ts";
import { type Relay, startRelay } from "../relay/relay.ts";
import { createLog, type LogLevel } from "../telemetry/log.ts";
import { loadFunctions } from "../worker/load.ts";
import { startWorker } from "../worker/worker.ts";
import { installCrds } from "./install-crds.ts";

/** Parts that a process can play; `up` plays all of them, `relay` and `worker` one each. */
export const ROLES = ["apiserver", "cloud", "relay", "worker"] as const;
export type Role = (typeof ROLES)[number];

export interface ComposeOptions {
  readonly roles: ReadonlySet<Role>;
  /** Management cluster; absent with the role `apiserver`. */
  readonly kubeconfig?: string | undefined;
  /** `memory` or a Redis URL. */
  readonly queue: string;
  readonly installCrds: boolean;
  /** Names or patterns such as `machinepool-*`. */
  readonly functions: readonly string[];
  /** Port of the embedded API server; 0 = any free one. */
  readonly port: number;
  /** Where the kubeconfig of the embedded API server is written, mode 0600. */
  readonly writeKubeconfig: string;
  readonly logLevel?: LogLevel | undefined;
  /** Wraps the read model, to follow what changes. */
  readonly wrapStore?: (store: Store) => Store;
}

/** A running composition. Disposing stops everything in reverse order of starting. */
export interface Running extends AsyncDisposable {
  readonly server: Server;
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: readonly AnyFunction[];
  readonly relay: Relay | undefined;
  /** The kubeconfig that reaches the management API server. */
  readonly kubeconfigFile: string | undefined;
}

/** Starts the parts named by `roles` in one process and connects them through the ports. */
export async function compose(options: ComposeOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  const environment = readEnvironment();
  const clock = systemClock;
  const log = createLog(options.logLevel ?? environment.CAPSTAN_LOG_LEVEL);
  const functions = await loadFunctions(options.functions);

  const kubeconfigFile = options.roles.has("apiserver") ? options.writeKubeconfig : options.kubeconfig;
  if (options.roles.has("apiserver")) await startEmbedded(options, starting);
  const access = await loadKubeconfig({ file: kubeconfigFile, env: environment });
  const server = starting.use(createServer(access, { clock, version: packageVersion() }));
  if (options.installCrds || options.roles.has("apiserver")) await installCrds(server.as("up"), clock);

  const { queue, store: ownStore } = await openQueueAndStore(options.queue, { clock, log }, starting);
  const store = options.wrapStore?.(ownStore) ?? ownStore;
  if (options.roles.has("cloud")) {
    const { startCloud } = await import("../sim/cloud.ts");
    // The cloud is not Capstan: it has a connection and a rate limit of its own.
    const ownServer = starting.use(createServer(access, { clock, version: packageVersion() }));
    starting.use(await startCloud({ server: ownServer, clock, log }));
  }
  const relay = options.roles.has("relay")
    ? starting.use(await startRelay({ functions, server, store, queue, clock, log }))
    : undefined;
  const clients: Clients =
    relay?.clients ?? starting.use(createClients({ management: server, store, clock, log }));
  if (options.roles.has("worker")) {
    const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    starting.use(await startWorker({ functions, queue, store, clients, clock, log, owner }));
  }
  await relay?.ready();
  const running = starting.move();
  return {
    server,
    store,
    queue,
    clock,
    log,
    functions,
    relay,
    kubeconfigFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startEmbedded(options: ComposeOptions, starting: AsyncDisposableStack): Promise<void> {
  const { startApiServer } = await import("../apiserver/server.ts");
  const embedded = starting.use(await startApiServer({ name: "capstan", port: options.port }));
  await mkdir(dirname(options.writeKubeconfig), { recursive: true });
  await writeFile(options.writeKubeconfig, embedded.kubeconfig(), { mode: 0o600 });
}

async function openQueueAndStore(
  url: string,
  ports: { readonly clock: Clock; readonly log: Log },
  starting: AsyncDisposableStack,
): Promise<{ readonly queue: Queue; readonly store: Store }> {
  if (url === "memory") {
    const [{ createMemoryQueue }, { createMemoryStore }] = await Promise.all([
      import("../queue/memory.ts"),
      import("../store/memory.ts"),
    ]);
    return { queue: starting.use(createMemoryQueue(ports)), store: starting.use(createMemoryStore()) };
  }
  if (!/^rediss?:\/\//.test(url)) {
    throw new Error(`--queue ${url}: not a queue; use "memory" or a URL such as redis://127.0.0.1:6379`);
  }
  const [{ createBullmqQueue }, { createRedisStore }] = await Promise.all([
    import("../queue/bullmq.ts"),
    import("../store/redis.ts"),
  ]);
  const store = starting.use(await createRedisStore({ url, log: ports.log }));
  return { queue: starting.use(await createBullmqQueue({ url, ...ports })), store };
}
