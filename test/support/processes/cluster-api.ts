import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "./free-ports.ts";

const run = promisify(execFile);

/** Cluster API's core manager, as a process beside a real API server. */
export interface ClusterApiProcess extends AsyncDisposable {
  readonly pid: number;
}

const TOOLS = fileURLToPath(new URL("../../../../shared/tools/capi/", import.meta.url));
/** Where `.ci/run` builds it, unless the environment names another folder. */
const BINARIES = process.env["CAPSTAN_CLUSTER_API"] ?? join(homedir(), ".cache/capstan/cluster-api");

/** Why Cluster API's manager cannot be started; undefined when it can. */
export function clusterApiMissing(): string | undefined {
  if (!existsSync(join(TOOLS, "up.sh"))) return `${TOOLS} does not exist`;
  if (existsSync(join(BINARIES, "capi-config"))) return undefined;
  return `${BINARIES} lacks a complete build; fill it with ${join(TOOLS, "build.sh")} ${BINARIES}`;
}

/**
 * Installs Cluster API's CRDs and webhooks on a server, with `kubectl` of the PATH, and runs its manager with these
 * flags. Throws with the end of its log when it does not start.
 */
export async function startClusterApi(
  kubeconfigFile: string,
  flags: readonly string[] = [],
): Promise<ClusterApiProcess> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-cluster-api-"));
  const [webhooks = 0, diagnostics = 0] = await freePorts(2);
  const env = { ...process.env, WEBHOOK_PORT: String(webhooks), DIAGNOSTICS_PORT: String(diagnostics) };
  const own = ["--health-addr=127.0.0.1:0"];
  // The manager inherits the output of the script, which therefore never ends: the script's own exit is waited for.
  await run(
    "bash",
    [
      "-c",
      '"$@" > "$0/up.log" 2>&1',
      dir,
      join(TOOLS, "up.sh"),
      BINARIES,
      dir,
      kubeconfigFile,
      ...own,
      ...flags,
    ],
    { env },
  ).catch(async (error: unknown) => {
    const log = await readFile(join(dir, "up.log"), "utf8").catch(() => "");
    throw new Error(`Cluster API's manager did not start: ${log.slice(-2_000)}`, { cause: error });
  });
  const pid = Number(await readFile(join(dir, "manager.pid"), "utf8"));
  // It runs in a session of its own and would outlive a test run that ends in the middle.
  const kill = () => process.kill(pid, "SIGKILL");
  process.once("exit", kill);
  return {
    pid,
    async [Symbol.asyncDispose]() {
      process.off("exit", kill);
      kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
