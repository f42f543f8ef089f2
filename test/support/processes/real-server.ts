import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newClientAuthority } from "./client-authority.ts";
import { freePorts } from "./free-ports.ts";
import { spawnChild } from "./spawn-child.ts";

/** A real kube-apiserver with etcd on loopback, and the garbage collector when its binary is there. */
export interface RealServer extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  /** One JSON line per finished request: verb, objectRef, userAgent. */
  readonly auditLog: string;
  readonly garbageCollector: boolean;
  /** Of all its processes. */
  readonly pids: readonly number[];
  /** A kubeconfig with a client certificate of this user, who has the rights that RBAC gives. */
  kubeconfigOf(user: string, group?: string): Promise<string>;
  /** A kubeconfig with this token, as of a ServiceAccount. */
  kubeconfigWith(token: string): string;
}

const REQUIRED = ["etcd", "kube-apiserver"];

/** Why no real server can be started from this folder; undefined when it can. */
export function realServerMissing(assets: string | undefined): string | undefined {
  if (assets === undefined || assets === "") {
    return "KUBEBUILDER_ASSETS is not set; fill a folder with setup-envtest and name it there";
  }
  const missing = REQUIRED.filter((binary) => !existsSync(join(assets, binary)));
  return missing.length === 0 ? undefined : `KUBEBUILDER_ASSETS (${assets}) lacks ${missing.join(", ")}`;
}

interface RealServerOptions {
  readonly controllers?: boolean;
  /** Admission plugins beside those that are on anyway. */
  readonly admission?: readonly string[];
  /** Kubeconfig of a server that reviews tokens, as EKS has one. */
  readonly tokenWebhook?: string;
  /**
   * Of each of its processes, as Go writes it; default 2GiB. A server of 1,000 Machines holds 600 MiB, one of 1,000 Clusters
   * 2 GiB: with a limit near that it would collect garbage without end, and no core would be left for what a bench measures.
   */
  readonly memoryLimit?: string;
  /** Folder that outlives it, and with whose objects it begins. By default it has one of its own. */
  readonly folder?: string | undefined;
}

/**
 * Starts one from the binaries in `assets` (envtest's layout); ready when it resolves, within about five seconds. Throws
 * with the command that has ended otherwise. Without `controllers` nothing collects garbage, wherever the binary is.
 */
export async function startRealServer(
  assets: string,
  { controllers = true, admission = [], tokenWebhook, memoryLimit = "2GiB", folder }: RealServerOptions = {},
): Promise<RealServer> {
  const dir = folder ?? (await mkdtemp(join(tmpdir(), "capstan-real-")));
  const [etcd = 0, peer = 0, port = 0] = await freePorts(3);
  const token = randomUUID();
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = (name: string): string => join(dir, name);
  await mkdir(dir, { recursive: true });
  await rm(file("audit.log"), { force: true });
  await writeFile(file("sa.key"), keys.privateKey.export({ type: "pkcs1", format: "pem" }));
  await writeFile(file("tokens.csv"), `${token},admin,admin,system:masters\n`);
  await writeFile(file("audit.yaml"), AUDIT_POLICY);
  if (tokenWebhook !== undefined) await writeFile(file("webhook"), tokenWebhook);
  const clients = await newClientAuthority();
  await writeFile(file("clients.crt"), clients.certificate);

  const processes: ChildProcess[] = [];
  // Go collects garbage rarely: servers of tests mostly start.
  const env = { ...process.env, GOGC: "400", GOMEMLIMIT: memoryLimit };
  const start = (binary: string, args: readonly string[]): void => {
    processes.push(spawnChild(join(assets, binary), args, { stdio: "ignore", cwd: dir, env }));
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.reverse().map(kill));
    if (folder === undefined) await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    start("etcd", [
      `--data-dir=${file("etcd")}`,
      `--listen-client-urls=http://127.0.0.1:${etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      "--unsafe-no-fsync=true",
      "--logger=zap",
      `--log-outputs=${file("etcd.log")}`,
    ]);
    start("kube-apiserver", [
      `--etcd-servers=http://127.0.0.1:${etcd}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      // From 1.37 on a server that keeps the endpoints of the Service `kubernetes` advertises no loopback address.
      "--endpoint-reconciler-type=none",
      `--secure-port=${port}`,
      `--cert-dir=${file("certs")}`,
      `--token-auth-file=${file("tokens.csv")}`,
      `--client-ca-file=${file("clients.crt")}`,
      `--service-account-key-file=${file("sa.key")}`,
      `--service-account-signing-key-file=${file("sa.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-cluster-ip-range=10.0.0.0/24",
      "--authorization-mode=RBAC",
      // Cluster templates bring privileged Deployments.
      "--allow-privileged=true",
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
      ...(admission.length === 0 ? [] : [`--enable-admission-plugins=${admission.join(",")}`]),
      ...(tokenWebhook === undefined
        ? []
        : [`--authentication-token-webhook-config-file=${file("webhook")}`]),
      `--audit-policy-file=${file("audit.yaml")}`,
      `--audit-log-path=${file("audit.log")}`,
      // From 100 MB on it would begin another file.
      "--audit-log-maxsize=100000",
    ]);
    await ready(port, token, processes);
    const ca = await readFile(file("certs/apiserver.crt"), "base64");
    const kubeconfig = kubeconfigText(port, ca, { token });
    await writeFile(file("kubeconfig"), kubeconfig, { mode: 0o600 });
    const garbageCollector = controllers && existsSync(join(assets, "kube-controller-manager"));
    if (garbageCollector) {
      start("kube-controller-manager", [
        `--kubeconfig=${file("kubeconfig")}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
      ]);
    }
    return {
      kubeconfig,
      kubeconfigFile: file("kubeconfig"),
      auditLog: file("audit.log"),
      garbageCollector,
      pids: processes.map(({ pid }) => pid ?? 0),
      kubeconfigWith: (own) => kubeconfigText(port, ca, { token: own }),
      kubeconfigOf: async (user, group) => kubeconfigText(port, ca, await clients.credentialsOf(user, group)),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata }]
`;

function kubeconfigText(port: number, ca: string, credentials: object): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: real, cluster: { server: "https://127.0.0.1:${port}", certificate-authority-data: ${ca} } }]
users: [{ name: admin, user: ${JSON.stringify(credentials)} }]
contexts: [{ name: real, context: { cluster: real, user: admin } }]
current-context: real
`;
}

async function ready(port: number, token: string, processes: readonly ChildProcess[]): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const dead = processes.find((one) => one.exitCode !== null);
    if (dead !== undefined)
      throw new Error(`${dead.spawnfile} ended with ${dead.exitCode}: ${dead.spawnargs.join(" ")}`);
    if (await answersReady(port, token)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("kube-apiserver is not ready after 60 s");
}

function answersReady(port: number, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(
      { host: "127.0.0.1", port, path: "/readyz", headers, rejectUnauthorized: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    asked.on("error", () => resolve(false));
    asked.end();
  });
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
