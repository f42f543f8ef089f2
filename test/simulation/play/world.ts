import { createServer, type Server } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { createIssuer } from "../../../infra/platform/pki/issuer.ts";
import type { Storage } from "../../../infra/playground/apiserver/entry.ts";
import { startCloud } from "../../../infra/playground/sim/cloud.ts";
import type { LedgerHost } from "../../../infra/queue/backends/embedded/embedded-ledger.ts";
import { startElectedRelay } from "../../../infra/relay/elected-relay.ts";
import { leaseKey } from "../../../infra/relay/lease-name.ts";
import { type Relay, startRelay } from "../../../infra/relay/relay.ts";
import { createClients } from "../../../infra/relay/workload/clients.ts";
import { withoutSecrets } from "../../../infra/worker/telemetry/log.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { FailedRun } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import { createFakePki } from "../../support/fake-pki.ts";
import type { Defect } from "../defects/defect.ts";
import { createKernel, type Kernel, type Operation, type Process } from "../kernel/kernel.ts";
import { type Management, startManagement } from "../ports/management.ts";
import { createNetwork, type SimulatedNetwork } from "../ports/network.ts";
import { createObservedRuns, type ObservedRuns } from "../ports/observed-runs.ts";
import { createSharedLedger, type SharedLedger } from "../ports/shared-ledger.ts";
import { createSharedQueue } from "../ports/shared-queue.ts";
import { createSharedStore, type SharedStore } from "../ports/shared-store.ts";
import { createSharedTokens, type SharedTokens } from "../ports/shared-tokens.ts";
import { CURRENT, type Version } from "./version.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly functions: readonly AnyFunction[];
  /** The CRDs, as `preparedCrds` has made them. */
  readonly prepared: Storage;
  readonly ledger: LedgerHost;
  readonly keepTrace?: boolean;
  /** Which of the pending operations is next, by index; default: whichever the seed says. */
  readonly choose?: ((ready: readonly Operation[]) => number) | undefined;
  /** Every jitter is its mean. */
  readonly isSteady?: boolean;
  /** Operations happen in the order in which they were posted. */
  readonly isInOrder?: boolean;
  /** Two relays of which one leads; default: one that needs no lease. */
  readonly relays?: "elected" | undefined;
  /** Something in the product that is wrong on purpose. */
  readonly defect?: Defect | undefined;
}

/** Roles of processes: the product's, and the simulated cloud. */
const ROLES = ["relay", "worker-1", "worker-2", "cloud"] as const;

/** The second of two relays of which one leads. */
const STANDBY = "relay-2";

type Role = (typeof ROLES)[number] | typeof STANDBY;

/** Troubles that last for a while. */
interface Troubles {
  /** Calls `end` once: after so long, or when all heals. */
  lasting(ms: number, end: () => void): void;
  /** For so long operations are shown to `isHit` before they happen; those for which it says true do not. */
  hit(ms: number, isHit: (operation: Operation) => boolean): void;
  /** Ends everything that lasts. */
  heal(): void;
}

function createTroubles(kernel: Kernel): Troubles {
  const machinery = kernel.process("troubles");
  const ends = new Set<() => void>();
  const lasting: Troubles["lasting"] = (ms, end) => {
    const once = (): void => {
      if (ends.delete(once)) end();
    };
    ends.add(once);
    machinery.clock.after(ms, once);
  };
  return {
    lasting,
    hit: (ms, isHit) => lasting(ms, kernel.intercept(isHit)),
    heal() {
      for (const end of [...ends]) end();
    },
  };
}

/** One composition of the whole product, as `infra/cli/compose.ts` makes it, on simulated ports. */
export interface World {
  readonly kernel: Kernel;
  readonly network: SimulatedNetwork;
  readonly store: SharedStore;
  readonly ledger: SharedLedger;
  readonly tokens: SharedTokens;
  readonly runs: ObservedRuns;
  readonly troubles: Troubles;
  readonly management: Management;
  readonly functions: readonly AnyFunction[];
  /** Failed runs, as the queue has reported them; deaths among them. */
  readonly failures: readonly FailedRun[];
  /** Errors and warnings that processes have logged. */
  readonly log: readonly string[];
  /** Uids of objects whose managedFields the server has lost. */
  readonly ownerless: Set<string>;
  /** The relay that a process is, as soon as it has started. */
  relayOf(process: Process): Relay | undefined;
  readonly roles: readonly Role[];
  /** The relay that holds the lease; where none is needed the only one. */
  readonly leadingRelay: Role;
  /** The process that plays a role at present; undefined while none does. */
  processOf(role: Role): Process | undefined;
  /** Called with every line that a process logs, of all levels, as the product's log would have it. */
  onLog(observer: (line: string) => void): void;
  /** Connects a client of the management server that belongs to a process. */
  connect(process: Process): Server;
  start(role: Role): void;
  /** Ends the process that plays a role, now; another one starts after so long. */
  crash(role: Role, restartAfterMs: number): void;
  /** Asks a worker to stop; after so long it is killed, and another one starts. */
  stop(role: Role, graceMs: number): void;
  /** Another one plays the same role beside the present one, which ends after so long. */
  double(role: Role, ms: number): void;
  /** For so long another build plays a role. */
  replace(role: Role, version: Version, ms: number): void;
  roleOf(process: Process): Role | undefined;
}

/** So that there are Nodes for the function that deletes those whose instances have left. */
const NODE_LINGERS_MS = 60_000;

/** As long as a tick of the queue: within the bound, and an hour is more than questions. */
const LOSS_CHECK_MS = 20_000;

/** The lease of the relays, if they need one. */
const LEASE = leaseKey("kube-system", "capstan-relay");

/** How far the clock of the second relay is ahead: further than a lease lasts (up to 30 s). */
const STANDBY_AHEAD_MS = 20_000;

/** It starts when the first one leads. */
const STANDBY_AFTER_MS = 10_000;

export async function createWorld(options: WorldOptions): Promise<World> {
  const { seed, functions, prepared, keepTrace = false, choose, isSteady = false, isInOrder } = options;
  const { ledger: host } = options;
  const patch = options.defect?.patch() ?? {};
  const served = functions.map((fn) => patch.function?.(fn) ?? fn);
  const kernel = createKernel({ seed, choose, keepTrace, isSteady, isInOrder });
  const network = createNetwork(kernel);
  const store = createSharedStore(kernel);
  const ledger = createSharedLedger(kernel, patch.scripts?.(host) ?? host);
  const tokens = createSharedTokens(kernel);
  const runs = createObservedRuns(kernel);
  const failures: FailedRun[] = [];
  const log: string[] = [];
  const readers: ((line: string) => void)[] = [];
  const machinery = kernel.process("world");
  const troubles = createTroubles(kernel);
  const playing = new Map<Role, Process>();
  const workers = new Map<Process, Promise<AsyncDisposable>>();
  const relays = new Map<Process, Relay>();

  const management = await startManagement(kernel, network, prepared);
  const access = parseKubeconfig(management.server.kubeconfig());

  const connect = (process: Process, { connect } = network.of(process)): Server =>
    createServer(access, { clock: process.clock, connect });

  const roles: readonly Role[] = options.relays === "elected" ? [...ROLES, STANDBY] : ROLES;
  const startRelayOf = (process: Process, parts: ReturnType<typeof partsOf>): Promise<Relay> => {
    const random = process.random.number;
    const relayOptions = { ...parts, functions, random, lossCheckMs: LOSS_CHECK_MS };
    return options.relays === "elected"
      ? Promise.resolve(startElectedRelay({ ...relayOptions, lease: LEASE, identity: process.name }))
      : startRelay(relayOptions);
  };
  let isStandbyDue = false;
  const start = (role: Role, version = CURRENT): void => {
    if (role === STANDBY && !isStandbyDue) {
      isStandbyDue = true;
      machinery.clock.after(STANDBY_AFTER_MS, () => start(role, version));
      return;
    }
    const process = kernel.process(role, role === STANDBY ? STANDBY_AHEAD_MS : 0);
    playing.set(role, process);
    kernel.trace.add(`${process.name} starts`);
    if (role === "cloud") {
      const own = {
        serves: [{ server: connect(process) }],
        network: network.of(process),
        log: logOf(process, log, readers),
      };
      const { clock, random } = process;
      const pki = createFakePki(() => random.id(16));
      void startCloud({ ...own, clock, random, pki, nodeLingersMs: NODE_LINGERS_MS });
      return;
    }
    const parts = partsOf(process, version);
    if (role === "relay" || role === STANDBY) {
      void startRelayOf(process, parts).then((relay) => relays.set(process, relay));
      return;
    }
    const clients = createClients({ ...parts, management: parts.server });
    const watched = runs.watch(parts.queue, process);
    const queue = patch.queue?.(watched) ?? watched;
    const issuer = createIssuer(createFakePki(() => process.random.id(16)));
    const serving = served.filter(version.has);
    workers.set(
      process,
      startWorker({ ...parts, queue, functions: serving, clients, issuer, owner: process.name }),
    );
  };

  const partsOf = (process: Process, version: Version) => {
    const processLog = logOf(process, log, readers);
    const noteFailure = async (run: FailedRun): Promise<void> => void failures.push(run);
    const own = ledger.of(process);
    const called = version.speaks(patch.tokenLedger?.(own, process) ?? own);
    const ownNetwork = patch.network?.(network.of(process), process) ?? network.of(process);
    const ownStore = store.of(process);
    return {
      server: connect(process, ownNetwork),
      store: patch.store?.(ownStore) ?? ownStore,
      queue: createSharedQueue({ process, ledger: called, tokens, log: processLog, noteFailure }),
      clock: patch.clock?.(process.clock, process) ?? process.clock,
      random: process.random,
      log: processLog,
      connect: ownNetwork.connect,
    };
  };

  const crash = (role: Role, restartAfterMs: number, next = CURRENT): void => {
    const process = playing.get(role);
    if (process === undefined) return;
    process.kill();
    playing.delete(role);
    kernel.trace.add(`${process.name} ends`);
    machinery.clock.after(restartAfterMs, () => start(role, next));
  };

  return {
    kernel,
    network,
    store,
    ledger,
    tokens,
    runs,
    management,
    troubles,
    ownerless: new Set(),
    functions,
    failures,
    log,
    onLog: (observer) => void readers.push(observer),
    connect,
    start,
    relayOf: (process) => relays.get(process),
    roles,
    get leadingRelay() {
      const lease = management.storage.collection(LEASES).find(`${LEASE.namespace}/${LEASE.name}`);
      const { holderIdentity = "" } = (Reflect.get(lease ?? {}, "spec") ?? {}) as LeaseSpec;
      return holderIdentity.startsWith(STANDBY) ? STANDBY : "relay";
    },
    processOf: (role) => playing.get(role),
    roleOf: (process) => roles.find((role) => playing.get(role) === process),
    crash,
    stop(role, graceMs) {
      const process = playing.get(role);
      const worker = process === undefined ? undefined : workers.get(process);
      if (process === undefined || worker === undefined) return;
      kernel.trace.add(`${process.name} must stop`);
      void worker.then((serving) => serving[Symbol.asyncDispose]()).catch(() => undefined);
      machinery.clock.after(graceMs, () => {
        if (playing.get(role) === process) crash(role, 0);
      });
    },
    double(role, ms) {
      const former = playing.get(role);
      start(role);
      troubles.lasting(ms, () => former?.kill());
    },
    replace(role, version, ms) {
      crash(role, 0, version);
      troubles.lasting(ms, () => crash(role, 0));
    },
  };
}

/** As the storage names the type. */
const LEASES = "coordination.k8s.io/leases";

type LeaseSpec = { readonly holderIdentity?: string };

function logOf({ name }: Process, log: string[], readers: readonly ((line: string) => void)[]): Log {
  const read = (fields: object, message: string): string => {
    const line = `${name}: ${message} ${JSON.stringify(withoutSecrets(fields))}`;
    for (const reader of readers) reader(line);
    return line;
  };
  const note = (fields: object, message: string): void => void log.push(read(fields, message));
  return { debug: read, info: read, warn: note, error: note };
}
