import type { Command } from "commander";
import { KubeError } from "../../../shared/function/errors.ts";
import { knownKinds } from "../../../shared/function/known-kinds.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { Console } from "../../console/console.ts";
import { startFleetIndex } from "../../console/fleet/fleet-index.ts";
import { openPage } from "../../console/open-page.ts";
import { readPorts } from "../../console/sources/read-ports.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import { createUnserved } from "../../operate/explain/unserved.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Server } from "../../platform/kube/client.ts";
import { systemRandom } from "../../platform/random.ts";
import { print } from "../../platform/terminal/print.ts";
import type { Backend } from "../../queue/backends/backend.ts";
import { openBackend } from "../../queue/backends/open.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { historyFrom } from "../../queue/history/key-history.ts";
import { giveBackMemory } from "../../worker/give-back-memory.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import { loadFunctions } from "../../worker/load.ts";
import { startProbes } from "../../worker/probes.ts";
import { healthAddressOption } from "../listen-options.ts";
import { readManagement } from "../management.ts";
import { logLevelOption, type ServeOptions, stopRequested } from "../options.ts";
import { commandLineOf } from "../own-command.ts";
import { addQueueOptions, sharedQueue } from "../queue-options.ts";
import { openLog } from "../terminal/log.ts";
import { managementUid } from "../tie-queue.ts";
import { actionPorts } from "./action-ports.ts";
import { addConsoleOptions, addressOption, type ConsoleFlags } from "./console-options.ts";
import { serveConsole } from "./serve-console.ts";

/** Looks again whose data are shown. */
interface OwnData extends AsyncDisposable {
  /** Whether the data are the own ones, else those of another cluster. Rejects while the Redis is away. */
  readonly isOwnData: () => Promise<boolean>;
}

const GRANT =
  "the console cannot see whether the queue belongs to this management cluster; allow its account to get Namespace kube-system";

interface ConsoleCommandFlags
  extends ConsoleFlags,
    QueueFlags,
    Pick<ServeOptions, "kubeconfig" | "logLevel" | "functionsDir"> {
  readonly address: ListenAddress;
  readonly healthAddress?: ListenAddress;
}

/** Reviews of persons: a page of a new person asks once for each namespace. */
const REVIEW_RATE = { requestsPerSecond: 100, burst: 500 };

export function consoleCommand(command: Command): Command {
  addQueueOptions(command, "the queue that relay and workers share (default: CAPSTAN_QUEUE)")
    .option(
      "--kubeconfig <file>",
      "management cluster, which knows persons and their rights (default: KUBECONFIG, in-cluster files, ~/.kube/config)",
    )
    .option(
      "--functions-dir <folder>",
      "load functions from this folder instead of Capstan's own, for example of a fix to try on dead letters",
    )
    .addOption(addressOption())
    .addOption(healthAddressOption())
    .addOption(logLevelOption());
  return addConsoleOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  capstan console --queue redis://127.0.0.1:6379\n  capstan console --queue-file FILE --address :9470 --host-name console.example.com --actions",
    )
    .action(serve);
}

async function serve(flags: ConsoleCommandFlags): Promise<void> {
  const stop = stopRequested();
  // From `info` on it holds which person did what (S-42).
  const log = openLog(flags.logLevel ?? "info");
  await using _served = await startSharedConsole(flags, { clock: systemClock, log });
  using _giving = giveBackMemory();
  await stop;
  print("console: stopping");
}

/**
 * Serves a console over the Redis of relay and workers. Waits for the API server, which says whose Redis it must be; throws
 * when it is that of another management cluster.
 */
export async function startSharedConsole(
  flags: ConsoleCommandFlags,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Console> {
  const backend = await openBackend(sharedQueue(flags, "console", log));
  const functions = await loadFunctions(undefined, flags.functionsDir);
  await using stack = new AsyncDisposableStack();
  let served: Console | undefined;
  if (flags.healthAddress !== undefined) {
    const isReady = () => served !== undefined;
    stack.use(await startProbes({ address: flags.healthAddress, isReady, log }));
  }
  const connect = await readManagement(flags.kubeconfig, { clock, log });
  const server = stack.use(connect(REVIEW_RATE));
  const reviewer = server.as("console");
  const { isOwnData } = stack.use(await lookForOwnData(backend, server, log));
  const store = stack.use(await backend.store({ kindOf: knownKinds(functions), log }));
  const heartbeats = stack.use(await backend.heartbeats({ log }));
  const queue = stack.use(await backend.ledger({ log }));
  const runs = await backend.history({ clock, log });
  if (runs !== undefined) stack.use(runs);
  const letters = stack.use(await backend.letters({ writer: false, clock, log }));
  const hints = stack.use(await backend.hints({ log }));
  const processes = () => heartbeats.processes();
  const unserved = createUnserved({ queue, functions, processes, clock });
  const fleet = stack.use(startFleetIndex({ store, queue, functions, hints, clock, unserved }));
  const samples = stack.use(await backend.samples({ clock, log }));
  const sources = {
    ...{ store, functions, queue, letters, fleet, unserved, runs, samples, clock, log, random: systemRandom },
    functionsDir: flags.functionsDir,
    history: historyFrom(queue, runs),
    connect: (token: string | undefined) => connect({}, token),
  };
  const ports = {
    ...readPorts(sources, stack),
    relay: createRelaySource({ processes, store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  const open = async () => ({ ports, page: openPage(), hints });
  const commandLine = commandLineOf(flags);
  const parts = { store, functions, clock, log, reviewer, open, isOwnData, commandLine };
  served = stack.use(await serveConsole(parts, flags, flags.address));
  const running = stack.move();
  return { ...served, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/**
 * Compares the owner of a Redis with the management cluster that knows persons and their rights. Throws when it is
 * another one, or when the account may not see which one this is.
 */
async function lookForOwnData(backend: Backend, server: Server, log: Log): Promise<OwnData> {
  const uid = await requiredUid(server, log);
  await using starting = new AsyncDisposableStack();
  const look = starting.use(await backend.lookForOwner({ uid, server: server.url.origin }, { log }));
  const reason = await look.foreignness();
  if (reason !== undefined) {
    const next = "Name the Redis of this cluster with --queue, or that cluster with --kubeconfig";
    throw new Error(`${reason}. ${next}`);
  }
  const running = starting.move();
  return {
    isOwnData: async () => {
      const error = await look.foreignness();
      if (error !== undefined) log.error({ error }, "console: persons are refused");
      return error === undefined;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns the uid, which is never left out: the rights of one cluster could show the data of another. */
async function requiredUid(server: Server, log: Log): Promise<string> {
  try {
    const uid = await managementUid(server.as("console"), { log });
    if (uid !== undefined) return uid;
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 403)) throw error;
    throw new Error(`${error.message}: ${GRANT}`);
  }
  throw new Error(`${server.url.origin} has no Namespace kube-system: ${GRANT}`);
}
