import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { NAMESPACE, type ServerProcess } from "../../infra/deploy/manifests/deployments.ts";
import { renderInto } from "../../infra/deploy/rendered.ts";
import { writeYaml } from "../../infra/platform/yaml/write-yaml.ts";
import { type CliProcess, MAIN, startCli } from "./processes/cli.ts";
import { kubectlFor } from "./processes/kubectl.ts";
import type { RealServer } from "./processes/real-server.ts";
import { commandLine } from "./processes/run-command.ts";

const capstan = commandLine(process.execPath, [MAIN], process.env);

/** The functions of the simulated provider, whose accounts are not ours. */
export const OF_SIMS = ["bootstrap-sim", "control-plane-sim", "infrastructure-sim"];

/** The accounts of the kustomize base, each with a token of its own. */
interface DeployedAccounts extends AsyncDisposable {
  /** The folder with the manifests. */
  readonly manifests: string;
  /** A kubeconfig with the token of `capstan-relay`. */
  fileOf(account: string): string;
  /** Gives them the rights that the providers of the server want of them. */
  grantForProviders(): Promise<void>;
  /** Starts a process of the base under the token of its account. */
  start(process: ServerProcess, queue: string, ...more: readonly string[]): CliProcess;
}

/** Renders what `npm run generate` renders into a folder. Returns the folder with the manifests. */
export async function renderManifests(folder: string): Promise<string> {
  await renderInto(folder);
  return join(folder, "kustomize");
}

/** Writes an overlay of the base in the folder `manifests` with these components into another folder. */
export async function writeOverlay(
  folder: string,
  manifests: string,
  components: readonly string[],
): Promise<void> {
  const overlay = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    // It takes no absolute paths.
    resources: [relative(folder, join(manifests, "base"))],
    components: components.map((name) => relative(folder, join(manifests, "components", name))),
  };
  await writeFile(join(folder, "kustomization.yaml"), writeYaml(overlay));
}

/** Applies the base with these components; nothing runs it. Resolves once every account has a kubeconfig. */
export async function deployAccounts(
  server: RealServer,
  accounts: readonly string[],
  components: readonly string[] = [],
): Promise<DeployedAccounts> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-accounts-"));
  const kubectl = kubectlFor(server.kubeconfigFile);
  const manifests = await renderManifests(join(dir, "rendered"));
  await writeOverlay(dir, manifests, components);
  await kubectl(`apply --validate=strict -k ${dir}`);
  for (const account of accounts) {
    const token = await kubectl(`create token ${account} --namespace ${NAMESPACE}`);
    await writeFile(join(dir, account), server.kubeconfigWith(token.trim()), { mode: 0o600 });
  }
  const fileOf = (account: string) => join(dir, account);
  return {
    manifests,
    fileOf,
    async grantForProviders() {
      const rbac = await capstan(`rbac --from-cluster --kubeconfig ${server.kubeconfigFile}`);
      await kubectl("apply --validate=strict -f -", rbac);
    },
    start({ name, part, functions }, queue, ...more) {
      const names = functions.map(({ spec }) => spec.name);
      const shared = ["--kubeconfig", fileOf(name), "--queue", queue];
      return startCli([part, ...shared, ...more, "--functions", ...names]);
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The user by which the server knows an account. */
export function userOf(account: string): string {
  return `system:serviceaccount:${NAMESPACE}:${account}`;
}
