import { type ApiServer, startApiServer } from "../../infra/apiserver/server.ts";
import { Storage } from "../../infra/apiserver/storage/storage.ts";
import { createServer, type Server } from "../../infra/kube/client.ts";
import { parseKubeconfig } from "../../infra/kube/kubeconfig.ts";
import { createClients } from "../../infra/relay/clients.ts";
import { startRelay } from "../../infra/relay/relay.ts";
import { startCloud } from "../../infra/sim/cloud.ts";
import { startWorker } from "../../infra/worker/worker.ts";
import type { FailedRun } from "../../shared/runtime/dead-letters-port.ts";
import type { AnyFunction } from "../../shared/runtime/define-function.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { createKernel, type Kernel, type Process } from "./kernel.ts";
import { createNetwork, type SimulatedNetwork } from "./network.ts";
import { createSharedLedger, type SharedLedger } from "./shared-ledger.ts";
import { createSharedQueue } from "./shared-queue.ts";
import { createSharedStore, type SharedStore } from "./shared-store.ts";
import { createSharedTokens, type SharedTokens } from "./shared-tokens.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly functions: readonly AnyFunction[];
  /** The CRDs, as `preparedCrds` has made them. */
  readonly prepared: Storage;
  readonly keepTrace?: boolean;
}

/** What processes there are: the product's, and the simulated cloud. */
export const ROLES = ["relay", "worker-1", "worker-2", "cloud"] as const;
type Role = (typeof ROLES)[number];

/** One composition of the whole product, as `infra/cli/compose.ts` makes it, on simulated ports. */
export interface World {
  readonly kernel: Kernel;
  readonly network: SimulatedNetwork;
  readonly store: SharedStore;
  readonly ledger: SharedLedger;
  readonly tokens: SharedTokens;
  readonly management: Management;
  readonly functions: readonly AnyFunction[];
  /** Failed runs, as the queue has told of them; deaths among them. */
  readonly failures: readonly FailedRun[];
  /** Errors and warnings that processes have logged. */
  readonly log: readonly string[];
  /** Who plays a role at present; undefined while nobody does. */
  processOf(role: Role): Process | undefined;
  /** Connects a client of the management server that belongs to a process. */
  connect(process: Process): Server;
  start(role: Role): void;
  /** Ends whoever plays a role, now; another one starts after so long. */
  crash(role: Role, restartAfterMs: number): void;
  roleOf(process: Process): Role | undefined;
}

interface Management {
  readonly server: ApiServer;
  /** Its objects, for who looks on. */
  readonly storage: Storage;
  /** As the network knows it. */
  readonly address: string;
}

const MANAGEMENT_TOKEN = "management";

export async function createWorld({ seed, functions, prepared, keepTrace }: WorldOptions): Promise<World> {
  const kernel = createKernel({ seed, ...(keepTrace === undefined ? {} : { keepTrace }) });
  const network = createNetwork(kernel);
  const store = createSharedStore(kernel);
  const ledger = createSharedLedger(kernel, seed);
  const tokens = createSharedTokens(kernel);
  const failures: FailedRun[] = [];
  const log: string[] = [];
  const machinery = kernel.process("world");
  const playing = new Map<Role, Process>();

  const storage = copyOf(prepared, machinery);
  const api = kernel.process("apiserver");
  const server = await startApiServer({
    name: "management",
    token: MANAGEMENT_TOKEN,
    clock: api.clock,
    random: api.random,
    listen: network.of(api).listen,
    storage,
  });
  const access = parseKubeconfig(server.kubeconfig());

  const connect = (process: Process): Server =>
    createServer(access, { clock: process.clock, connect: network.of(process).connect });

  const start = (role: Role): void => {
    const process = kernel.process(role);
    playing.set(role, process);
    kernel.trace.add(`${process.name} starts`);
    const parts = partsOf(process);
    if (role === "cloud") void startCloud({ ...parts, network: network.of(process) });
    else if (role === "relay") void startRelay({ ...parts, functions, random: process.random.number });
    else {
      const clients = createClients({ ...parts, management: parts.server });
      void startWorker({ ...parts, functions, clients, owner: process.name });
    }
  };

  const partsOf = (process: Process) => {
    const processLog = logOf(process, log);
    const noteFailure = async (run: FailedRun): Promise<void> => void failures.push(run);
    return {
      server: connect(process),
      store: store.of(process),
      queue: createSharedQueue({ process, ledger, tokens, log: processLog, noteFailure }),
      clock: process.clock,
      random: process.random,
      log: processLog,
      connect: network.of(process).connect,
    };
  };

  return {
    kernel,
    network,
    store,
    ledger,
    tokens,
    management: { server, storage, address: access.server.host },
    functions,
    failures,
    log,
    connect,
    start,
    processOf: (role) => playing.get(role),
    roleOf: (process) => ROLES.find((role) => playing.get(role) === process),
    crash(role, restartAfterMs) {
      const process = playing.get(role);
      if (process === undefined) return;
      process.kill();
      playing.delete(role);
      kernel.trace.add(`${process.name} ends`);
      machinery.clock.after(restartAfterMs, () => start(role));
    },
  };
}

/** The same objects in a storage of its own. */
function copyOf(prepared: Storage, { clock }: Process): Storage {
  const copy = new Storage(prepared.version, clock);
  for (const [type, collection] of prepared.collections) {
    for (const object of collection.values()) copy.restore(type, object);
  }
  return copy;
}

function logOf({ name }: Process, log: string[]): Log {
  const note = (fields: object, message: string): void => {
    log.push(`${name}: ${message} ${JSON.stringify(fields)}`);
  };
  return { debug: () => undefined, info: () => undefined, warn: note, error: note };
}
