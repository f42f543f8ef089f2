import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Deployment } from "../../infra/operate/takeover/core.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { startCapstan } from "./capstan.ts";
import { type CliProcess, startCli } from "./processes/cli.ts";
import { clusterApiMissing, startClusterApi } from "./processes/cluster-api.ts";
import { kubectlFor, kubectlMissing } from "./processes/kubectl.ts";
import { realServerMissing, startRealServer } from "./processes/real-server.ts";
import { coreDeployment, startFleet } from "./takeover-fleet.ts";
import { testFolder } from "./test-folder.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"];
const CORE_USER = "system:serviceaccount:capi-system:capi-manager";
const FUNCTIONS = [
  "cluster",
  "machine",
  "machinedeployment",
  "machineset",
  "machinepool",
  "mhc",
  "remediationpolicy",
].map((kind) => `${kind}-*`);

/** Why it cannot be started here; undefined when it can. */
export function bothMissing(): string | undefined {
  return realServerMissing(ASSETS) ?? clusterApiMissing() ?? kubectlMissing();
}

/** A management cluster with Cluster API's manager and Capstan, each with a filter or without. */
export async function startBoth(
  stack: AsyncDisposableStack,
  {
    flags,
    label,
    clusters,
  }: { readonly flags: readonly string[]; readonly label?: string; readonly clusters: number },
) {
  const server = stack.use(await startRealServer(ASSETS ?? ""));
  const dir = testFolder("takeover");
  // As in a cluster, the API server can distinguish it from other clients.
  const coreKubeconfig = join(dir, "core.kubeconfig");
  await writeFile(coreKubeconfig, await server.kubeconfigOf(CORE_USER, "system:masters"));
  const core = stack.use(await startClusterApi(coreKubeconfig, flags, { isPod: true }));
  const access = await loadKubeconfig({ file: server.kubeconfigFile, env: {} });
  const connection = stack.use(createServer(access, { clock: systemClock }));
  const client = connection.as("test");
  await client.create(Deployment as unknown as Kind, coreDeployment(flags, 1));
  const { kubeconfig } = server;
  const fleet = stack.use(
    await startFleet(client, { clusters, kubeconfig, ...(label === undefined ? {} : { label }) }),
  );
  const capstan = stack.use(
    await startCapstan(server.kubeconfigFile, {
      roles: ["relay", "worker"],
      functions: FUNCTIONS,
      installCrds: false,
      watchFilter: "capstan",
      metricsAddress: { host: "127.0.0.1", port: 0 },
    }),
  );
  const asked = ["--metrics-address", new URL(capstan.metricsUrl ?? "").host];
  const kubectl = kubectlFor(server.kubeconfigFile);
  /** Starts `capstan takeover …`; it knows where Capstan's queue is. */
  const begin = (...args: readonly string[]): CliProcess => {
    const more = ["plan", "retire"].includes(args[0] ?? "") ? [] : asked;
    return startCli(["takeover", ...args, "--kubeconfig", server.kubeconfigFile, ...more]);
  };
  return {
    core,
    client,
    fleet,
    kubeconfig,
    kubectl,
    letters: () => capstan.deadLetters.list(),
    /** Runs `capstan takeover …` to its end. */
    async takeover(...args: readonly string[]) {
      await using cli = begin(...args);
      return { code: await cli.ended, output: cli.output() };
    },
    /** Starts `capstan takeover …`, and kills it with SIGKILL when it has printed this text. */
    async kill(text: string, ...args: readonly string[]): Promise<void> {
      await using cli = begin(...args);
      cli.child.stdout?.on("data", () => cli.output().includes(text) && cli.child.kill("SIGKILL"));
      await cli.ended;
      if (!cli.output().includes(text)) throw new Error(`it has not printed "${text}": ${cli.output()}`);
    },
  };
}

/** The hand-over itself, the entry that it leaves where no other is left, and the edits. */
const OF_NEITHER: ReadonlySet<string> = new Set(["capstan-takeover", "capstan-take-over", "capstan-test"]);

/** A field manager that may not write while the label says that the object is of this side. */
export function isWrong(writer: string, label: string | undefined): boolean {
  if (OF_NEITHER.has(writer)) return false;
  return label === "capstan" ? !writer.startsWith("capstan-") : writer.startsWith("capstan-");
}
