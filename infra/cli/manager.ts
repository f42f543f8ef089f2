import type { Command } from "commander";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { MANAGEMENT } from "../../shared/api/kinds.ts";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment } from "../platform/config.ts";
import { print, printError } from "../platform/terminal/print.ts";
import { type Elected, startElected } from "../relay/elected.ts";
import { leaseKey } from "../relay/lease-name.ts";
import { giveBackMemory } from "../worker/give-back-memory.ts";
import { loadFunctions } from "../worker/load.ts";
import { startProbes } from "../worker/probes.ts";
import { type Running, startParts } from "./compose.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { addListenOptions, type ListenOptions } from "./listen-options.ts";
import { readManagement } from "./management.ts";
import { type RelayScope, scopeTexts } from "./open-relay.ts";
import {
  addServeOptions,
  givenText,
  kubeconfigSecretsOption,
  namespaceOption,
  parseSwitch,
  printListeners,
  type ServeOptions,
  stopRequested,
} from "./options.ts";
import { newIdentity, podNamespace } from "./pod.ts";
import { openLog } from "./terminal/log.ts";

interface ManagerOptions extends ServeOptions, RelayScope, ListenOptions {
  readonly leaseName?: string;
}

interface ManagerFlags extends Omit<ManagerOptions, "namespaces"> {
  readonly namespace?: readonly string[];
}

/** A leader or a standby, or a manager without others. */
interface Manager extends AsyncDisposable {
  isReady(): boolean;
  /** Rejects when the manager cannot continue. */
  readonly ended: Promise<void>;
}

/** The process of a Deployment of a provider, as clusterctl installs it. */
export function managerCommand(command: Command): Command {
  return addListenOptions(addServeOptions(command))
    .addOption(namespaceOption())
    .addOption(kubeconfigSecretsOption())
    .option(
      "--watch-filter <value>",
      "reconcile only objects whose label cluster.x-k8s.io/watch-filter has this value (default or empty: all)",
    )
    .option(
      "--leader-elect [boolean]",
      "work only while this manager holds a Lease, so that others can stand by",
      parseSwitch,
      false,
    )
    .option(
      "--leader-elect-namespace <namespace>",
      "namespace of the Lease (default: POD_NAMESPACE, else the Pod's; outside of a Pod kube-system)",
    )
    .option(
      "--lease-name <name>",
      "name of the Lease (default: capstan-manager with the scope behind it); managers with other functions need another one",
    )
    .action(manage);
}

async function manage({ namespace, ...given }: ManagerFlags): Promise<void> {
  const stop = stopRequested();
  const options = { ...given, namespaces: namespace, watchFilter: givenText(given.watchFilter) };
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  // Wrong names end the process now, and not when it leads.
  await loadFunctions(options.functions, options.functionsDir);
  let manager: Manager | undefined;
  const { healthAddress } = options;
  await using stack = new AsyncDisposableStack();
  if (healthAddress !== undefined) {
    const isReady = () => manager?.isReady() ?? false;
    stack.use(await startProbes({ address: healthAddress, isReady, log }));
  }
  manager = stack.use(
    options.leaderElect === true ? await startCandidate(options, stack) : await startAlone(options),
  );
  stack.use(giveBackMemory());
  await Promise.race([stop, manager.ended]);
  print("manager: stopping; runs finish within 25 s");
}

async function startAlone(options: ManagerOptions): Promise<Manager> {
  const running = await startParts(partsOf(options));
  return {
    isReady: () => isWorking(running),
    ended: announce(running).then(() => new Promise<never>(() => undefined)),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Store, queue and watches begin with each term of a leader and end with it: nothing of them is old. */
async function startCandidate(options: ManagerOptions, stack: AsyncDisposableStack): Promise<Manager> {
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  const connect = await readManagement(options.kubeconfig, { clock: systemClock, log });
  // Its own connection: a renewal never waits for the turn of other requests.
  const client = stack.use(connect()).as("relay");
  const namespace = options.leaderElectNamespace ?? (await podNamespace());
  const lease = leaseOf(namespace, options);
  const identity = newIdentity();
  const elected: Elected<Term> = startElected({
    client,
    lease,
    identity,
    clock: systemClock,
    log,
    role: "manager",
    lead: (mayWrite) => lead({ ...options, mayWrite }),
  });
  void elected.ready().then(() => {
    if (elected.work === undefined) print(`manager: standby, ${elected.leader} leads`);
  });
  return {
    isReady: () =>
      elected.work === undefined
        ? elected.leader !== undefined && elected.leader !== identity
        : isWorking(elected.work),
    ended: elected.ended,
    [Symbol.asyncDispose]: () => elected[Symbol.asyncDispose](),
  };
}

interface Term extends Running {
  ready(): Promise<void>;
}

async function lead(options: ManagerOptions & Pick<ComposeOptions, "mayWrite">): Promise<Term> {
  const running = await startParts({ ...partsOf(options), mayWrite: options.mayWrite });
  const ready = announce(running);
  ready.catch(() => undefined);
  return { ...running, ready: () => ready, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

function partsOf(options: ManagerOptions): ComposeOptions {
  return {
    ...options,
    // Answered by this process, also while it stands by.
    healthAddress: undefined,
    roles: new Set(["relay", "worker"]),
    queue: "memory",
    installCrds: false,
    leaderElect: false,
    port: 0,
    writeKubeconfig: "",
  };
}

/** Managers of one scope that serve other functions must not exclude each other. */
export function leaseOf(
  namespace: string,
  options: Pick<ManagerOptions, "leaseName" | "functions" | keyof RelayScope>,
) {
  const { leaseName, functions } = options;
  if (leaseName !== undefined) return leaseKey(namespace, leaseName);
  const served = functions.length === 1 && functions[0] === "*" ? [] : functions;
  return leaseKey(namespace, "capstan-manager", [...served, ...scopeTexts(options)]);
}

function isWorking({ relay, worker }: Running): boolean {
  return relay?.status().ready === true && worker?.status().draining === false;
}

/** Says when the first lists are there, and what the server does not serve. */
async function announce(running: Running): Promise<void> {
  const { relay, functions } = running;
  await relay?.ready();
  print(`manager: ${functions.length} functions, every watch has its first list; Ctrl-C stops`);
  printListeners(running);
  const missing = await missingDefinitions(running);
  if (missing.length > 0) printError(missingText(missing));
}

async function missingDefinitions({ store, functions }: Running): Promise<readonly string[]> {
  const { group, kind } = CustomResourceDefinition;
  const names = functions.map(({ spec: { reconciles } }) => `${reconciles.plural}.${reconciles.group}`);
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const crd = await store.get({ cluster: MANAGEMENT, group, kind }, { namespace: "", name });
      return crd === undefined ? [name] : [];
    }),
  );
  return found.flat();
}

function missingText(names: readonly string[]): string {
  return `the server lacks these CustomResourceDefinitions: ${names.join(", ")}; their functions wait until they are applied (clusterctl init, or kubectl apply -f of the provider's components)`;
}
