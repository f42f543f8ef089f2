import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeYaml } from "../../infra/platform/yaml/write-yaml.ts";
import { REAL } from "./processes/api-servers.ts";
import { CLUSTER_API } from "./processes/cluster-api.ts";
import { kubectlMissing } from "./processes/kubectl.ts";
import { type CommandLine, commandLine, LIMIT } from "./processes/run-command.ts";
import { spawnChild } from "./processes/spawn-child.ts";
import { describeWith } from "./requires.ts";
import { inShared } from "./shared.ts";

export const CLUSTERCTL = process.env["CLUSTERCTL"] ?? join(CLUSTER_API, "clusterctl");

/** Why clusterctl cannot be run here; undefined when it can. */
export function clusterctlMissing(): string | undefined {
  return existsSync(CLUSTERCTL)
    ? undefined
    : `${CLUSTERCTL} does not exist; build clusterctl v1.14 with ${inShared("tools/capi/build.sh")} and name it in CLUSTERCTL`;
}

/** `describe` for tests with clusterctl on the real kube-apiserver: that server may be missing in CI, clusterctl not. */
export const describeWithClusterctl = describeWith(REAL.missing ?? kubectlMissing() ?? clusterctlMissing(), {
  optional: REAL.missing !== undefined,
});

/**
 * How `clusterctl delete --include-crd` fails half way: its discovery still lists kinds whose CRDs it has just removed.
 * Which of them it prints depends on how far the server had come.
 */
export const STALE_DISCOVERY = /could not find the requested resource|no matches for kind|not found/;

/** The real clusterctl, with a configuration and folders of its own. Disposing removes them. */
export interface Clusterctl extends CommandLine, AsyncDisposable {
  readonly configFile: string;
  /** Runs a command and kills it once its output so far satisfies `isEnough`; returns all of it. */
  killed(args: readonly string[], isEnough: (output: string) => boolean): Promise<string>;
}

interface ClusterctlOptions {
  /** Of the management cluster; the commands that need none work without. */
  readonly kubeconfigFile?: string;
  /** A `clusterctl.yaml`. Without a section `cert-manager` it gets the two stub CRDs as that. */
  readonly config: string;
  /** Environment variables, such as variables of templates. */
  readonly env?: { readonly [name: string]: string };
}

/** Prepares calls of clusterctl that need no network. */
export async function startClusterctl({
  kubeconfigFile,
  config,
  env,
}: ClusterctlOptions): Promise<Clusterctl> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-clusterctl-"));
  const home = join(dir, "home");
  const certManager = join(dir, "cert-manager", STUB_VERSION);
  await Promise.all([mkdir(home), mkdir(certManager, { recursive: true })]);
  const url = join(certManager, "cert-manager.yaml");
  await writeFile(url, CERT_MANAGER);
  const configFile = join(dir, "clusterctl.yaml");
  const stub = /^cert-manager:/m.test(config)
    ? ""
    : writeYaml({ "cert-manager": { url, version: STUB_VERSION } });
  await writeFile(configFile, `${config}\n${stub}`);
  const environment = {
    ...process.env,
    // A folder of the user may hold another configuration and overrides.
    HOME: home,
    XDG_CONFIG_HOME: home,
    CLUSTERCTL_DISABLE_VERSIONCHECK: "true",
    KUBECONFIG: kubeconfigFile ?? join(home, "no-kubeconfig"),
    ...env,
  };
  const first = ["--config", configFile];
  const call = commandLine(CLUSTERCTL, first, environment);
  return Object.assign(call, {
    configFile,
    killed: (args: readonly string[], isEnough: (output: string) => boolean) =>
      runKilled([...first, ...args], environment, isEnough),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  });
}

function runKilled(
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
  isEnough: (output: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(CLUSTERCTL, args, { stdio: ["ignore", "pipe", "pipe"], env, ...LIMIT });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
      if (isEnough(output)) child.kill("SIGKILL");
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

const TYPES: readonly (readonly [prefix: string, type: string])[] = [
  ["bootstrap-", "BootstrapProvider"],
  ["control-plane-", "ControlPlaneProvider"],
  ["infrastructure-", "InfrastructureProvider"],
  ["ipam-", "IPAMProvider"],
  ["runtime-extension-", "RuntimeExtensionProvider"],
  ["addon-", "AddonProvider"],
];

/** Returns a `clusterctl.yaml` with every provider of a local repository, an absolute path, in its newest version. */
export async function repositoryConfig(repository: string): Promise<string> {
  const folders = await readdir(repository, { withFileTypes: true });
  const labels = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const providers = await Promise.all(labels.toSorted().map((label) => providerIn(repository, label)));
  return writeYaml({ providers });
}

async function providerIn(repository: string, label: string): Promise<object> {
  const versions = (await readdir(join(repository, label))).toSorted();
  const files = await readdir(join(repository, label, versions.at(-1) ?? ""));
  const file = files.find((name) => name.endsWith("components.yaml")) ?? "components.yaml";
  const [prefix, type] = TYPES.find(([start]) => label.startsWith(start)) ?? ["", "CoreProvider"];
  return { name: label.slice(prefix.length), type, url: join(repository, label, "latest", file) };
}

const STUB_VERSION = "v1.20.0";

function stubCrd(kind: string): string {
  const plural = `${kind.toLowerCase()}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.cert-manager.io }
spec:
  group: cert-manager.io
  names: { kind: ${kind}, listKind: ${kind}List, plural: ${plural}, singular: ${kind.toLowerCase()} }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
}

/** clusterctl only asks whether an Issuer and a Certificate can be created. */
const CERT_MANAGER = `apiVersion: v1
kind: Namespace
metadata: { name: cert-manager }
---
${stubCrd("Issuer")}---
${stubCrd("Certificate")}`;
