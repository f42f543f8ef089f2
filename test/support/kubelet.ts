import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type CliProcess, startCli } from "./processes/cli.ts";
import { freePorts } from "./processes/free-ports.ts";
import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";
import type { RealServer } from "./processes/real-server.ts";

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
}

interface Deployment {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: { readonly serviceAccountName: string; readonly containers: readonly Container[] };
    };
  };
}

interface Running {
  /** The template that it runs. */
  readonly template: string;
  readonly cli: CliProcess;
  /** Absent without a probe. */
  readonly probeUrl?: string | undefined;
}

/** Plays kubelet and the Deployment controller on a server without Nodes. Disposing ends what it runs. */
export interface Kubelet extends AsyncDisposable {
  /** Running processes, by the name of their Deployment. */
  readonly running: ReadonlyMap<string, CliProcess>;
}

const POLL_MS = 500;

/**
 * Runs the container of each Deployment as a process outside, with its arguments and environment and the token of its
 * ServiceAccount, and says that it is Available once its probe is answered. With `runs: false` it only says so.
 */
export async function startKubelet(
  server: Pick<RealServer, "kubeconfigFile">,
  { runs = true }: { readonly runs?: boolean } = {},
): Promise<Kubelet> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-kubelet-"));
  const kubectl = kubectlFor(server.kubeconfigFile);
  const running = new Map<string, Running>();
  const stopping = new AbortController();
  const stopOthers = async (wanted: readonly Deployment[]) => {
    for (const [name, { template, cli }] of running) {
      if (wanted.some((each) => each.metadata.name === name && textOf(each) === template)) continue;
      await cli[Symbol.asyncDispose]();
      running.delete(name);
    }
  };
  const round = async () => {
    const { items } = JSON.parse(await kubectl("get deployments -A -o json")) as { items: Deployment[] };
    const wanted = items.filter(({ spec, metadata }) => spec.replicas > 0 && !metadata.deletionTimestamp);
    await stopOthers(wanted);
    const missing = wanted.filter(({ metadata }) => !running.has(metadata.name));
    for (const deployment of runs ? missing : []) {
      const started = await startContainer(deployment, { kubectl, dir, server });
      running.set(deployment.metadata.name, { template: textOf(deployment), ...started });
    }
    for (const deployment of items) {
      const probeUrl = running.get(deployment.metadata.name)?.probeUrl;
      await reportStatus(kubectl, deployment, probeUrl === undefined || (await answers(probeUrl)));
    }
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      // Deployments come and go meanwhile.
      await round().catch(() => undefined);
      await setTimeout(POLL_MS);
    }
  };
  const looping = loop();
  return {
    get running() {
      return new Map([...running].map(([name, { cli }]) => [name, cli]));
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await looping;
      await Promise.all([...running.values()].map(({ cli }) => cli[Symbol.asyncDispose]()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function textOf({ spec }: Deployment): string {
  return JSON.stringify(spec.template);
}

interface Host {
  readonly kubectl: Kubectl;
  readonly dir: string;
  readonly server: Pick<RealServer, "kubeconfigFile">;
}

/** Every Pod has addresses and folders of its own: here each process gets a free port and a folder. */
async function startContainer(
  { metadata, spec }: Deployment,
  host: Host,
): Promise<Omit<Running, "template">> {
  const { name, namespace } = metadata;
  const { serviceAccountName, containers } = spec.template.spec;
  const [container] = containers;
  const { args = [], env = [], readinessProbe } = container ?? {};
  const home = await mkdtemp(join(host.dir, "pod-"));
  const kubeconfigFile = join(home, "kubeconfig");
  const token = await host.kubectl(`create token ${serviceAccountName} -n ${namespace} --duration=2h`);
  const admin = await readFile(host.server.kubeconfigFile, "utf8");
  const text = admin.replace(/"token":"[^"]*"/, `"token":"${token.trim()}"`);
  await writeFile(kubeconfigFile, text, { mode: 0o600 });
  const fields: { readonly [path: string]: string } = {
    "metadata.name": `${name}-0`,
    "metadata.namespace": namespace,
    "status.podIP": "127.0.0.1",
  };
  const [port = 0, served = 0] = await freePorts(2);
  const values = env.map(
    (each) => [each.name, each.value ?? fields[each.valueFrom?.fieldRef.fieldPath ?? ""] ?? ""] as const,
  );
  const variables = Object.fromEntries(values);
  const expanded = args.map((arg) =>
    arg
      .replaceAll(/\$\(([A-Z_]+)\)/g, (_, variable: string) => variables[variable] ?? "")
      .replace(/^--health-address=:9440$/, `--health-address=127.0.0.1:${port}`)
      .replace("--address=:9443", `--address=127.0.0.1:${served}`)
      .replace("=/tmp/", `=${home}/`),
  );
  // No Service leads to a process outside.
  if (args[0] === "webhook") expanded.push(`--url=https://127.0.0.1:${served}`);
  const cli = startCli(expanded, {
    POD_NAMESPACE: namespace,
    ...variables,
    HOME: home,
    KUBECONFIG: kubeconfigFile,
  });
  return { cli, probeUrl: readinessProbe && `http://127.0.0.1:${port}${readinessProbe.httpGet.path}` };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function reportStatus(
  kubectl: Kubectl,
  { metadata, spec }: Deployment,
  isReady: boolean,
): Promise<void> {
  const { replicas } = spec;
  const ready = isReady ? replicas : 0;
  const condition = { type: "Available", status: isReady ? "True" : "False", reason: "Test", message: "" };
  const status = {
    observedGeneration: metadata.generation,
    replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: replicas,
    conditions: [condition],
  };
  const patch = JSON.stringify({ status });
  await kubectl.try(
    `patch deployment ${metadata.name} -n ${metadata.namespace} --subresource=status --type=merge -p '${patch}'`,
  );
}
