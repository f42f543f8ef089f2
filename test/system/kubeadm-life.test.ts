import { join } from "node:path";
import { expect, it } from "vitest";
import { serverProcesses } from "../../infra/deploy/manifests/deployments.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { round, startCapstan, usageOf } from "../bench/capstan-process.ts";
import { deployAccounts } from "../support/deployed-accounts.ts";
import { differencesOf } from "../support/life/compare-objects.ts";
import { KNOWN_DIFFERENCES } from "../support/life/differences.ts";
import {
  COMES_UP,
  ENDS,
  GROWS,
  LOSES,
  objectsAtRest,
  RESTS,
  SHRINKS,
  type Step,
  UPGRADES,
} from "../support/life/life.ts";
import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import { kubeadmProvidersMissing, startKubeadmProviders } from "../support/processes/kubeadm-providers.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { type RealServer, realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const STEPS = [COMES_UP, UPGRADES, GROWS, LOSES, SHRINKS, RESTS, ENDS];
const READS = new Set(["get", "list"]);
/** The column of a row that counts them. */
const WRITES = 3;

/** Starts what runs the Clusters of a server. */
type StartCore = (server: RealServer, stack: AsyncDisposableStack) => Promise<RunningCore>;

interface RunningCore {
  /** User agent of its requests. */
  readonly agent: RegExp;
  /** Memory of all its processes. */
  readonly residentMiB: () => Promise<number>;
  /** Called once the kinds of the providers are there. */
  readonly grant?: () => Promise<void>;
}

/** Without what installs the CRDs and converts. */
const AGENT = /^capstan\/\S+ (?!(up|webhook)$)/;

const capstan: StartCore = async ({ kubeconfigFile }, stack) => {
  const { usage } = stack.use(await startCapstan(kubeconfigFile, ["*"], {}, ["--install-crds"]));
  return { agent: AGENT, residentMiB: async () => (await usage()).residentMiB };
};
const clusterApi: StartCore = async ({ kubeconfigFile }, stack) => {
  const { pid } = stack.use(await startClusterApi(kubeconfigFile));
  return { agent: /^capi-manager\//, residentMiB: async () => (await usageOf(pid)).residentMiB };
};
/**
 * As it is deployed, each process with the rights of its account alone, on the CRDs of Cluster API's manager, whose label
 * no object has.
 */
const capstanBeside: StartCore = async (server, stack) => {
  const { kubeconfigFile } = server;
  stack.use(await startClusterApi(kubeconfigFile, ["--watch-filter=of-nothing"]));
  const redis = stack.use(await startRedis());
  const processes = await serverProcesses();
  const names = processes.map(({ name }) => name);
  const accounts = stack.use(await deployAccounts(server, names));
  const running = processes.map((process) => stack.use(accounts.start(process, redis.url)));
  return {
    agent: AGENT,
    async residentMiB() {
      const usages = await Promise.all(running.map(({ child }) => usageOf(child.pid)));
      return usages.reduce((sum, usage) => sum + usage.residentMiB, 0);
    },
    grant: () => accounts.grantForProviders(),
  };
};

interface Life {
  /** One line for each step: seconds, reads and writes of the core, and its memory afterwards. */
  readonly rows: readonly (readonly (string | number)[])[];
  /** Objects after each step. */
  readonly objects: ReadonlyMap<string, readonly KubeObject[]>;
  /** Requests of the core for which it has no right. */
  readonly refused: readonly AuditedRequest[];
}

async function live(start: StartCore): Promise<Life> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startRealServer(ASSETS));
  const { kubeconfigFile, auditLog } = server;
  const kubectl = kubectlFor(kubeconfigFile);
  const { agent, residentMiB, grant } = await start(server, stack);
  stack.use(await startKubeadmProviders(kubeconfigFile, join(ASSETS, "kubectl")));
  await grant?.();
  const asked = async (): Promise<readonly AuditedRequest[]> =>
    (await readAuditLog(auditLog)).filter(
      ({ userAgent, verb, resource }) => agent.test(userAgent) && verb !== "watch" && resource !== "leases",
    );
  const rows: (string | number)[][] = [];
  const objects = new Map<string, readonly KubeObject[]>();
  const measured = async ({ name, take }: Step) => {
    const before = (await asked()).length;
    const startedAt = performance.now();
    await take(kubectl);
    const seconds = round((performance.now() - startedAt) / 1_000, 0);
    objects.set(name, await objectsAtRest(kubectl));
    const all = (await asked()).slice(before);
    const reads = all.filter(({ verb }) => READS.has(verb)).length;
    rows.push([name, seconds, reads, all.length - reads, await residentMiB()]);
  };
  for (const step of STEPS) await measured(step);
  return { rows, objects, refused: (await asked()).filter(({ code }) => code === 403) };
}

const CORES = [
  ["Cluster API's manager", clusterApi],
  ["Capstan", capstan],
  ["Capstan beside Cluster API's manager", capstanBeside],
] as const satisfies readonly (readonly [string, StartCore])[];

const missing =
  realServerMissing(ASSETS) ?? clusterApiMissing() ?? kubeadmProvidersMissing() ?? redisMissing();
describeWith(missing, { optional: true })("the life of a Cluster of Cluster API's kubeadm providers", () => {
  const lives = new Map<string, Life>();

  it.each(CORES)("is lived with %s", async (core, start) => {
    const life = await live(start);
    lives.set(core, life);
    for (const row of life.rows) console.log(`| ${[core, ...row].join(" | ")} |`);
  });

  it.each(CORES.slice(1))(
    "%s is refused nothing, writes nothing at rest, and leads to the same objects but for the known differences",
    (core) => {
      const [theirs, ours] = [CORES[0][0], core].map((name) => lives.get(name));
      expect(ours?.refused).toEqual([]);
      expect(ours?.rows.find(([name]) => name === RESTS.name)?.[WRITES]).toBe(0);
      const found = STEPS.flatMap(({ name }) =>
        differencesOf(theirs?.objects.get(name) ?? [], ours?.objects.get(name) ?? []),
      );
      const isKnown = (field: string) => KNOWN_DIFFERENCES.some(([known]) => known.test(field));
      expect(found.filter(({ field }) => !isKnown(field))).toEqual([]);
      const isFound = (known: RegExp) => found.some(({ field }) => known.test(field));
      expect(KNOWN_DIFFERENCES.filter(([known]) => !isFound(known))).toEqual([]);
    },
  );
});
