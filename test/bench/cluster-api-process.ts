import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "../support/processes/free-ports.ts";
import { type Usage, usageOf } from "./capstan-process.ts";

const run = promisify(execFile);

/** Cluster API's core manager, as a process beside a real API server. */
export interface ClusterApiProcess extends AsyncDisposable {
  usage(): Promise<Usage>;
}

const TOOLS = fileURLToPath(new URL("../../../shared/tools/capi/", import.meta.url));
const BINARIES = join(homedir(), ".cache/capstan/cluster-api");

/** Why Cluster API's manager cannot be started; undefined when it can. */
export function clusterApiMissing(): string | undefined {
  if (!existsSync(join(TOOLS, "up.sh"))) return `${TOOLS} does not exist`;
  if (existsSync(join(BINARIES, "capi-manager"))) return undefined;
  return `${BINARIES} is empty; fill it with ${join(TOOLS, "build.sh")} ${BINARIES}`;
}

/** Installs Cluster API's CRDs and webhooks on a server and runs its manager with these flags. */
export async function startClusterApi(
  kubeconfigFile: string,
  flags: readonly string[],
): Promise<ClusterApiProcess> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-cluster-api-"));
  const [webhooks = 0, diagnostics = 0] = await freePorts(2);
  const env = { ...process.env, WEBHOOK_PORT: String(webhooks), DIAGNOSTICS_PORT: String(diagnostics) };
  // The manager inherits the output of the script, which therefore never ends: the script's own exit is waited for.
  await run(
    "bash",
    ["-c", '"$@" > "$0/up.log" 2>&1', dir, join(TOOLS, "up.sh"), BINARIES, dir, kubeconfigFile, ...flags],
    {
      env,
    },
  ).catch(async (error: unknown) => {
    const log = await readFile(join(dir, "up.log"), "utf8").catch(() => "");
    throw new Error(`Cluster API's manager did not start: ${log.slice(-2_000)}`, { cause: error });
  });
  const pid = Number(await readFile(join(dir, "manager.pid"), "utf8"));
  return {
    usage: () => usageOf(pid),
    async [Symbol.asyncDispose]() {
      process.kill(pid, "SIGKILL");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
