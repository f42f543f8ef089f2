import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { knownKinds } from "../../../shared/function/known-kinds.ts";
import { CORE_PROVIDER } from "../../../shared/function/providers.ts";
import type { Clients, Clock, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import { type Freshness, freshnessBeside, readFreshness } from "../../../shared/runtime/read/signs.ts";
import { systemClock } from "../../platform/clock.ts";
import { readEnvironment } from "../../platform/config.ts";
import { createServer, type Server } from "../../platform/kube/client.ts";
import { loadKubeconfig } from "../../platform/kube/kubeconfig.ts";
import { packageVersion } from "../../platform/package-version.ts";
import { rest } from "../../platform/rest.ts";
import type { Backend } from "../../queue/backends/backend.ts";
import { createMemoryStore } from "../../queue/backends/embedded/store.ts";
import { type Relay, type RelayOptions, startRelay } from "../../relay/relay.ts";
import { createClients } from "../../relay/workload/clients.ts";
import { whyUnreachable } from "../../relay/workload/workload-access.ts";
import { loadFunctions } from "../../worker/load.ts";
import { openLog } from "../terminal/log.ts";

/** Read model for the functions of a command. */
export interface ReadModel extends AsyncDisposable {
  readonly functions: readonly AnyFunction[];
  readonly server: Server;
  readonly store: Store;
  readonly clients: Clients;
  /** Reads the freshness of what the store holds; absent where all of it is read live. */
  readFreshness?(now: Date): Promise<Freshness>;
  /** Settles when the workload cluster `<namespace>/<name>` is connected to, or known not to be reachable. */
  connected(cluster: string): Promise<void>;
}

export interface ReadModelOptions {
  /** The functions to read for; absent = those for what the server serves. */
  readonly functions?: readonly AnyFunction[] | undefined;
  /** Load the functions from this folder instead. */
  readonly functionsDir?: string | undefined;
  readonly kubeconfig?: string | undefined;
  /** Read this namespace only; absent = all. */
  readonly namespace?: string | undefined;
  /** Alternative for the message that the cluster does not answer: `replay without --live`. */
  readonly otherwise?: string;
}

/** No worker runs the keys of a relay that only fills a read model. */
const NO_QUEUE: RelayOptions["queue"] = { enqueue: async () => undefined, epoch: async () => "" };

const LISTS_WITHIN_MS = 60 * SECOND;
const LIVE_WITHIN_MS = 10 * SECOND;
const CONNECTED_WITHIN_MS = 15 * SECOND;
const LOOK_AGAIN_MS = 50;

/** Opens the read model of the workers where it is shared, else fills one from the cluster. */
export function openModel(backend: Backend, wanted: ReadModelOptions): Promise<ReadModel> {
  return backend.capabilities.isShared ? openReadModel(backend, wanted) : fillReadModel(wanted);
}

/** A group that only the playground serves. */
export const PLAYGROUND = "infrastructure.sim.capstan.dev/v1beta2";

/**
 * Loads the functions for what a server serves: those of the playground, a third of the time that loading takes, only
 * where it has their kinds, or does not show what it has. `folder` takes the place of all of them.
 */
export async function servedFunctions(
  server: Pick<Server, "as">,
  folder?: string,
): Promise<readonly AnyFunction[]> {
  if (folder !== undefined) return await loadFunctions(undefined, folder);
  const isServed = await server
    .as("explain")
    .kinds(PLAYGROUND)
    .then((kinds) => kinds.length > 0)
    .catch(() => true);
  return await loadFunctions(isServed ? undefined : [CORE_PROVIDER]);
}

/**
 * Fills a read model from the management cluster, with the objects that a worker would see now. Throws with the next
 * step when the cluster does not answer or does not list the objects that the functions read.
 */
export async function fillReadModel(options: ReadModelOptions): Promise<ReadModel> {
  const { namespace } = options;
  const namespaces = namespace === undefined ? [] : [namespace];
  await using stack = new AsyncDisposableStack();
  const [clock, log] = [systemClock, openLog("silent")];
  const server = stack.use(await reachManagement(options));
  const functions = options.functions ?? (await servedFunctions(server, options.functionsDir));
  const store = stack.use(createMemoryStore({ kindOf: knownKinds(functions) }));
  const version = packageVersion();
  const relay = stack.use(
    await startRelay({ functions, server, store, queue: NO_QUEUE, clock, log, version, namespaces }),
  );
  const late = `${server.url.origin} has not listed all objects that the functions read`;
  await within(clock, LISTS_WITHIN_MS, relay.ready(), late);
  const opened = stack.move();
  return {
    functions,
    server,
    store,
    clients: relay.clients,
    connected: (cluster) => settled(relay, cluster, clock),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Opens the read model that relay and workers share, for what only they know: Connections and what workload clusters
 * hold. Objects of the management cluster are read live, where the user may list them: what is judged must be what is
 * there, also while no relay runs.
 */
async function openReadModel(
  backend: Backend,
  { kubeconfig, namespace, ...options }: ReadModelOptions,
): Promise<ReadModel> {
  await using stack = new AsyncDisposableStack();
  const [clock, log] = [systemClock, openLog("error")];
  const server = stack.use(await reachManagement({ kubeconfig }));
  const functions = options.functions ?? (await servedFunctions(server, options.functionsDir));
  const shared = stack.use(await backend.store({ kindOf: knownKinds(functions), log }));
  const live = stack.use(createMemoryStore({ kindOf: knownKinds(functions) }));
  const relay = stack.use(
    await startRelay({
      ...{ functions, server, clock, store: live, version: packageVersion(), connectsWorkloads: false },
      queue: NO_QUEUE,
      log: openLog("silent"),
      namespaces: namespace === undefined ? [] : [namespace],
    }),
  );
  // Kinds that are not listed by then come from the shared read model, and are as old as that is.
  await within(clock, LIVE_WITHIN_MS, relay.ready(), "").catch(() => undefined);
  const store = liveFirst(live, shared);
  const clients = stack.use(
    createClients({ management: server, store, clock, log, version: packageVersion() }),
  );
  const opened = stack.move();
  return {
    functions,
    server,
    store,
    clients,
    readFreshness: async (now) => freshnessBeside(relay.followed(), await readFreshness(shared, now)),
    // The relay that fills the read model has connected, or has recorded why not.
    connected: async () => undefined,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Types of the management server that are listed live, else the shared ones. A kind that the relay may not list is
 * missing to all functions, whatever the person who asks may read. Only for readers.
 */
function liveFirst(live: Store, shared: Store): Store {
  const isMissed = async (type: TypeKey): Promise<boolean> =>
    shared.progress(type).then(
      ({ refusal }) => refusal !== undefined,
      () => false,
    );
  const of = async (type: TypeKey): Promise<Store> =>
    type.cluster === MANAGEMENT && (await live.progress(type)).ready && !(await isMissed(type))
      ? live
      : shared;
  return {
    ...shared,
    get: async (type, key) => (await of(type)).get(type, key),
    list: async (type, selection) => (await of(type)).list(type, selection),
    read: async (type, asked) => (await of(type)).read(type, asked),
    find: async (type, index, value) => (await of(type)).find(type, index, value),
    progress: async (type) => (await of(type)).progress(type),
  };
}

async function reachManagement({
  kubeconfig,
  otherwise,
}: Pick<ReadModelOptions, "kubeconfig" | "otherwise">): Promise<Server> {
  const access = await loadKubeconfig({ file: kubeconfig, env: readEnvironment() });
  const server = createServer(access, { clock: systemClock, version: packageVersion() });
  const why = await whyUnreachable(server);
  if (why === undefined) return server;
  server[Symbol.dispose]();
  const message = messageOf(why);
  const next = `name another with --kubeconfig${otherwise === undefined ? "" : `, or ${otherwise}`}`;
  throw new Error(`the management cluster ${server.url.origin} does not answer: ${message}; ${next}`);
}

/** Waits until the workload cluster is connected or known to be unreachable; later connections are not awaited. */
async function settled(relay: Relay, name: string, clock: Clock): Promise<void> {
  const pending = (): boolean =>
    relay
      .status()
      .connections.some(
        ({ cluster, state, message, nodes }) =>
          cluster === name &&
          ((state === "unknown" && message === undefined) ||
            (state === "connected" && nodes?.resourceVersion === undefined)),
      );
  const until = clock.now().getTime() + CONNECTED_WITHIN_MS;
  while (pending() && clock.now().getTime() < until) {
    await rest(LOOK_AGAIN_MS, clock);
  }
}

async function within(clock: Clock, limitMs: number, work: Promise<void>, what: string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () =>
    late.reject(
      new Error(`${what} within ${limitMs / SECOND} s; check its permissions and the installed CRDs`),
    ),
  );
  work.catch(() => undefined);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
