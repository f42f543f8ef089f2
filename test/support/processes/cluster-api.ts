import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inShared, sharedMissing } from "../shared.ts";
import { atEnd } from "./at-end.ts";
import { freePorts } from "./free-ports.ts";

const run = promisify(execFile);

/** Cluster API's core manager, as a process beside a real API server. */
export interface ClusterApiProcess extends AsyncDisposable {
  readonly pid: number;
  /** How often it has ended by itself and was started again. */
  readonly restarts: number;
}

const TOOLS = inShared("tools/capi");
/** Where `.ci/run` builds it, unless the environment names another folder. */
export const CLUSTER_API =
  process.env["CAPSTAN_CLUSTER_API"] ?? join(homedir(), ".cache/capstan/cluster-api");
/** The folder `config` of that release, as it is published. */
export const PUBLISHED_CONFIG = join(CLUSTER_API, "capi-config");

/** Why Cluster API's manager cannot be started; undefined when it can. */
export function clusterApiMissing(): string | undefined {
  const missing = sharedMissing("tools/capi/up.sh");
  if (missing !== undefined || existsSync(PUBLISHED_CONFIG)) return missing;
  return `${CLUSTER_API} lacks a complete build; fill it with ${join(TOOLS, "build.sh")} ${CLUSTER_API}`;
}

/** Gives a process the file with the namespace of its Pod, without which it cannot elect a leader. */
const IN_POD = [
  "mkdir -p /var/run/secrets",
  "mount -t tmpfs none /var/run/secrets",
  "mkdir -p /var/run/secrets/kubernetes.io/serviceaccount",
  "printf capi-system > /var/run/secrets/kubernetes.io/serviceaccount/namespace",
  'exec "$@"',
].join(" && ");

function inPod(command: readonly string[]): readonly string[] {
  return ["unshare", "--mount", "sh", "-c", IN_POD, "sh", ...command];
}

/**
 * Installs Cluster API's CRDs and webhooks on a server, with `kubectl` of the PATH, and runs its manager with these
 * flags. Throws with the end of its log when it does not start. With `isPod` it can elect a leader, and is started again
 * when it ends, as a kubelet does.
 */
export async function startClusterApi(
  kubeconfigFile: string,
  flags: readonly string[] = [],
  { isPod = false }: { readonly isPod?: boolean } = {},
): Promise<ClusterApiProcess> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-cluster-api-"));
  const [webhooks = 0, diagnostics = 0] = await freePorts(2);
  const env = { ...process.env, WEBHOOK_PORT: String(webhooks), DIAGNOSTICS_PORT: String(diagnostics) };
  const own = ["--health-addr=127.0.0.1:0"];
  // The manager inherits the output of the script, which therefore never ends: the script's own exit is waited for.
  const up = [join(TOOLS, "up.sh"), CLUSTER_API, dir, kubeconfigFile, ...own, ...flags];
  await run("bash", ["-c", '"$@" > "$0/up.log" 2>&1', dir, ...(isPod ? inPod(up) : up)], { env }).catch(
    async (error: unknown) => {
      const log = await readFile(join(dir, "up.log"), "utf8").catch(() => "");
      throw new Error(`Cluster API's manager did not start: ${log.slice(-2_000)}`, { cause: error });
    },
  );
  const first = Number(await readFile(join(dir, "manager.pid"), "utf8"));
  const kubelet = isPod ? await startAgain(first) : { pid: first, restarts: 0, stop: () => undefined };
  // It runs in a session of its own and would outlive a test run that ends in the middle.
  const kill = () => {
    kubelet.stop();
    process.kill(kubelet.pid, "SIGKILL");
  };
  const forget = atEnd(kill);
  return {
    get pid() {
      return kubelet.pid;
    },
    get restarts() {
      return kubelet.restarts;
    },
    async [Symbol.asyncDispose]() {
      forget();
      kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Kubelet {
  readonly pid: number;
  readonly restarts: number;
  stop(): void;
}

const LOOK_MS = 200;

/** Starts the same program with the same arguments whenever it has ended, until stopped. */
async function startAgain(first: number): Promise<Kubelet> {
  const [program = "", ...args] = await wordsOf(first, "cmdline");
  const env = Object.fromEntries(
    (await wordsOf(first, "environ")).map((text) => [
      text.slice(0, text.indexOf("=")),
      text.slice(text.indexOf("=") + 1),
    ]),
  );
  let [pid, restarts] = [first, 0];
  const look = (): void => {
    if (isAlive(pid)) return;
    const [unshare = "", ...rest] = inPod([program, ...args]);
    const child = spawn(unshare, rest, { env, stdio: "ignore" });
    restarts += 1;
    pid = child.pid ?? pid;
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    get pid() {
      return pid;
    },
    get restarts() {
      return restarts;
    },
    stop: () => clearInterval(timer),
  };
}

async function wordsOf(pid: number, file: "cmdline" | "environ"): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/${file}`, "utf8");
  return text.split("\0").filter((word) => word !== "");
}

/** A process that has ended, and whose parent has not asked for its end, has state Z. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
