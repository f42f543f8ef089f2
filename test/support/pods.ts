import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Process } from "./image-layout.ts";
import { type Container, emptyDir, type SecurityContext, startContainer } from "./processes/container.ts";
import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";
import { openPodNetwork, type PodNetwork } from "./processes/pod-network.ts";
import { testFolder } from "./test-folder.ts";

/** The members of a Deployment that a kubelet acts upon. */
export interface Deployment {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly replicas: number; readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [ContainerSpec];
  readonly volumes: readonly {
    readonly name: string;
    readonly emptyDir?: object;
    readonly secret?: { readonly secretName: string };
  }[];
}

interface ContainerSpec {
  readonly args: readonly string[];
  readonly env?: readonly Variable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly securityContext: SecurityContext;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/** A Pod of a Deployment, with a network of its own. */
export interface Pod extends AsyncDisposable {
  readonly container: Container;
  readonly network: PodNetwork;
  /** Whether its readiness probe is answered with 200. */
  isReady(): Promise<boolean>;
  /** Writes what its Secrets hold now, as a kubelet does within about a minute. */
  sync(): Promise<void>;
}

interface Cluster {
  readonly kubectl: Kubectl;
  /** Of the API server. */
  readonly ca: string;
  readonly apiPort: number;
  /** Port on this machine by name of a Service and its port: `capstan-redis.capstan-system.svc:6379`. */
  readonly services: ReadonlyMap<string, number>;
  /** The files of the image, and how its process starts. */
  readonly root: string;
  readonly image: Process;
}

/** Returns what Pods need of the API server of a kubeconfig, at a port of this machine. */
export async function apiServerOf(
  kubeconfigFile: string,
): Promise<Pick<Cluster, "apiPort" | "ca" | "kubectl">> {
  const text = await readFile(kubeconfigFile, "utf8");
  const [, port, ca = ""] = /127\.0\.0\.1:(\d+)", certificate-authority-data: ([\w+/=]+)/.exec(text) ?? [];
  return {
    kubectl: kubectlFor(kubeconfigFile),
    ca: Buffer.from(ca, "base64").toString(),
    apiPort: Number(port),
  };
}

/** In each network of a Pod; a server without Services gives no other. */
const API_SERVER = { host: "127.0.0.1", port: 443 };
/** Where names of Services lead. */
const SERVICES = "127.0.0.2";
const TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Starts one Pod of a Deployment as a kubelet does: its arguments, environment, Secrets and security context as the
 * server has them, the token of its account, and a network in which it finds API server and Services. One with
 * `hostNetwork` is reached by the others.
 */
export async function startPod(
  deployment: Deployment,
  cluster: Cluster,
  { hostNetwork = false }: { readonly hostNetwork?: boolean } = {},
): Promise<Pod> {
  await using starting = new AsyncDisposableStack();
  const { spec } = deployment.spec.template;
  const [{ args, env = [], ports, readinessProbe, securityContext }] = spec.containers;
  const dir = testFolder("pod");
  const network = hostNetwork ? HOST_NETWORK : starting.use(await openNetwork(cluster));
  const tmp = starting.use(await emptyDir()).folder;
  const variables = new Map([
    ["KUBERNETES_SERVICE_HOST", API_SERVER.host],
    ["KUBERNETES_SERVICE_PORT", String(hostNetwork ? cluster.apiPort : API_SERVER.port)],
  ]);
  const expanded = (text: string) =>
    text.replaceAll(/\$\((\w+)\)/g, (all, name) => variables.get(name) ?? all);
  for (const each of env) variables.set(each.name, expanded(variableOf(each, deployment)));
  const container = starting.use(
    await startContainer({
      root: cluster.root,
      image: cluster.image,
      args: args.map(expanded),
      env: [...variables].map(([name, value]) => `${name}=${value}`),
      context: securityContext,
      tmp,
      volumes: await writeVolumes(dir, deployment, cluster),
      network: network.file,
    }),
  );
  const { path, port } = readinessProbe.httpGet;
  const probed = ports.find((each) => each.name === port)?.containerPort;
  const owned = starting.move();
  return {
    container,
    network,
    sync: async () => void (await writeVolumes(dir, deployment, cluster)),
    isReady: async () => (await network.get(`http://127.0.0.1:${probed}${path}`)) === 200,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** That of this machine. */
const HOST_NETWORK: PodNetwork = {
  file: "/proc/self/ns/net",
  forward: async () => undefined,
  get: async (url) => (await fetch(url).catch(() => undefined))?.status,
  [Symbol.asyncDispose]: async () => undefined,
};

async function openNetwork({ apiPort, services }: Cluster): Promise<PodNetwork> {
  const network = await openPodNetwork();
  await network.forward(API_SERVER, { host: "127.0.0.1", port: apiPort });
  for (const [service, port] of services) {
    const from = { host: SERVICES, port: Number(service.split(":").at(-1)) };
    await network.forward(from, { host: "127.0.0.1", port });
  }
  return network;
}

function variableOf({ value, valueFrom }: Variable, { metadata }: Deployment): string {
  const fields = {
    "metadata.name": `${metadata.name}-0`,
    "metadata.namespace": metadata.namespace,
    "status.podIP": "127.0.0.1",
  };
  return value ?? fields[valueFrom?.fieldRef.fieldPath as keyof typeof fields] ?? "";
}

/** Returns what is mounted besides /tmp, by its place. */
async function writeVolumes(
  dir: string,
  { metadata: { namespace }, spec }: Deployment,
  { kubectl, ca, services }: Cluster,
): Promise<{ readonly [place: string]: string }> {
  const { containers, serviceAccountName, volumes } = spec.template.spec;
  const of = (command: string) => kubectl(`${command} --namespace ${namespace}`);
  const token = await of(`create token ${serviceAccountName}`);
  const hosts = [...services.keys()].map((service) => `${SERVICES} ${service.split(":")[0]}\n`);
  const places: Record<string, string> = {
    "/etc/hosts": join(await writeFiles(join(dir, "etc"), { hosts: hosts.join("") }), "hosts"),
    [TOKEN_FOLDER]: await writeFiles(join(dir, "token"), { token: token.trim(), "ca.crt": ca, namespace }),
  };
  for (const { name, mountPath } of containers[0].volumeMounts) {
    const secret = volumes.find((each) => each.name === name)?.secret;
    if (secret === undefined) continue;
    const files = await secretFiles(of, secret.secretName);
    places[mountPath] = await writeFiles(join(dir, name), files);
  }
  return places;
}

/** Reads the files of a Secret. */
export async function secretFiles(
  kubectl: (command: string) => Promise<string>,
  name: string,
): Promise<{ readonly [file: string]: string }> {
  const { data } = JSON.parse(await kubectl(`get secret/${name} -o json`)) as {
    readonly data: { readonly [file: string]: string };
  };
  const files = Object.entries(data).map(([file, text]) => [file, Buffer.from(text, "base64").toString()]);
  return Object.fromEntries(files);
}

/** Files that every user may read; returns their folder. */
async function writeFiles(folder: string, files: { readonly [name: string]: string }): Promise<string> {
  await mkdir(folder, { mode: 0o755, recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o644 });
  }
  return folder;
}
