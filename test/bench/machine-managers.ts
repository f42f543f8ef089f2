import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import {
  round,
  SETUP,
  startCapstan,
  startWorld,
  type Usage,
  usageOf,
  type World,
} from "./capstan-process.ts";
import { prepareMachineClusters } from "./ready-machines.ts";
import { untilConnected } from "./until.ts";

export type ManagerName = "capstan" | "cluster-api";

/** A real API server with ready Clusters, and the manager that reconciles Machines there. */
export interface ManagedWorld extends AsyncDisposable {
  readonly world: World;
  readonly usage: () => Promise<Usage>;
  /** Runs of every function of Capstan so far; empty of Cluster API's manager. */
  readonly jobs: () => Promise<ReadonlyMap<string, number>>;
}

/** Parts of a manager beside Clusters, Machines and MachineSets, and its settings. */
interface Extent {
  /** Patterns of Capstan's functions. */
  readonly functions?: readonly string[];
  /** Of Cluster API's manager. */
  readonly flags?: readonly string[];
}

const SETTLE_MS = 5_000;
export const READS: ReadonlySet<string> = new Set(["get", "list"]);

/** The managers that can be compared on this machine; says why when Cluster API's is not among them. */
export function availableManagers(): readonly ManagerName[] {
  const missing = clusterApiMissing();
  if (missing === undefined) return ["capstan", "cluster-api"];
  console.log(`without Cluster API's manager: ${missing}`);
  return ["capstan"];
}

/** Starts both; resolves once the workload clusters of these Clusters are connected and `prepare` has ended. */
export async function startManaged(
  name: ManagerName,
  clusters: readonly string[],
  prepare: (client: World["client"]) => Promise<unknown>,
  extent: Extent = {},
): Promise<ManagedWorld> {
  const stack = new AsyncDisposableStack();
  try {
    const world = stack.use(await startWorld());
    const { client, kubeconfig, kubeconfigFile } = world;
    if (world.auditLog === undefined) {
      throw new Error("this bench needs a real API server; see KUBEBUILDER_ASSETS in README.md");
    }
    if (name === "capstan") await installCrds(client, systemClock);
    // Cluster API's webhooks answer for its kinds, so its manager comes first.
    const manager = await startManager(name, kubeconfigFile, extent, stack);
    await prepareMachineClusters(client, clusters, kubeconfig);
    await prepare(client);
    await untilConnected(client, clusters.length);
    await setTimeout(SETTLE_MS);
    return { world, ...manager, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Both get equal limits of requests to a workload server. */
async function startManager(
  name: ManagerName,
  kubeconfigFile: string,
  { functions = [], flags = [] }: Extent,
  stack: AsyncDisposableStack,
): Promise<Pick<ManagedWorld, "usage" | "jobs">> {
  if (name === "capstan") {
    const patterns = ["cluster-*", "machine-*", "machineset-*", ...functions];
    return stack.use(await startCapstan(kubeconfigFile, patterns));
  }
  const limits = ["--clustercache-client-qps=100", "--clustercache-client-burst=200"];
  const { pid } = stack.use(await startClusterApi(kubeconfigFile, [...limits, ...flags]));
  return { usage: () => usageOf(pid), jobs: async () => new Map() };
}

/** Costs of `machines` Machines that are made or deleted at once. Requests and writes are those without Events. */
export interface MachineCost {
  readonly seconds: number;
  readonly requestsEach: number;
  readonly writesEach: number;
  readonly eventsEach: number;
  readonly cpuMsEach: number;
}

/** Seconds until `work` ends; all other figures include what it says is to follow, and 5 s in which nothing happens. */
export async function costOf(
  { world, usage }: ManagedWorld,
  machines: number,
  work: () => Promise<(() => Promise<unknown>) | undefined>,
): Promise<{ readonly cost: MachineCost; readonly requests: readonly AuditedRequest[] }> {
  const asked = await requestsOfManager(world);
  const before = await usage();
  const startedAt = performance.now();
  const follow = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  await follow?.();
  await setTimeout(SETTLE_MS);
  const after = await usage();
  const all = (await requestsOfManager(world)).slice(asked.length);
  const requests = all.filter(({ resource }) => resource !== "events");
  return {
    requests,
    cost: {
      seconds: round(seconds),
      requestsEach: round(requests.length / machines),
      writesEach: round(requests.filter(({ verb }) => !READS.has(verb)).length / machines),
      eventsEach: round((all.length - requests.length) / machines),
      cpuMsEach: round(((after.cpuSeconds - before.cpuSeconds) * 1_000) / machines, 1),
    },
  };
}

export async function requestsOfManager({ auditLog = "" }: World): Promise<readonly AuditedRequest[]> {
  return (await readAuditLog(auditLog)).filter(isOfManager);
}

const OTHERS = new RegExp(`^(kube-|kubectl|garbage|etcd|capstan/\\S+ (${SETUP}|up)$)`);

/** Neither of the bench, nor of what belongs to the server, nor of kubectl; watches and elections are left out. */
export function isOfManager({ userAgent, verb, resource }: AuditedRequest): boolean {
  return !OTHERS.test(userAgent) && verb !== "watch" && resource !== "leases";
}

/** Writes and reads by what they ask for: `patch machines/status`. */
export function requestText({ verb, resource, subresource }: AuditedRequest): string {
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}
