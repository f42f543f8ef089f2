import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inShared, sharedMissing } from "../shared.ts";

const run = promisify(execFile);
const TOOLS = inShared("tools/providers");
/** Where `build.sh` of the tools has written, unless the environment names another folder. */
const BINARIES = process.env["CAPSTAN_PROVIDERS"] ?? join(homedir(), ".cache/capstan/providers");

/** Why Cluster API's own providers cannot be started; undefined when they can. */
export function kubeadmProvidersMissing(): string | undefined {
  const missing = sharedMissing("tools/providers/up.sh");
  if (missing !== undefined || existsSync(join(BINARIES, "version"))) return missing;
  return `${BINARIES} lacks a complete build; fill it with ${join(TOOLS, "build.sh")} ${BINARIES}`;
}

/**
 * Installs the CRDs and webhooks of Cluster API's kubeadm bootstrap, kubeadm control plane and dev infrastructure provider
 * on a server, with `kubectl`, and runs their managers. Their ports are fixed: one run at a time on a machine. Throws
 * with what the script printed when one does not start.
 */
export async function startKubeadmProviders(
  kubeconfigFile: string,
  kubectl: string,
): Promise<AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-providers-"));
  const env = { ...process.env, KUBECTL: kubectl };
  const stop = async (): Promise<void> => {
    await run("sh", [join(dir, "stop")]);
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  // The managers inherit the output of the script, which therefore never ends: the script's own exit is waited for.
  const up = ["bash", join(TOOLS, "up.sh"), BINARIES, dir, kubeconfigFile];
  try {
    await run("bash", ["-c", '"$@" > "$0/up.log" 2>&1', dir, ...up], { env });
  } catch (cause) {
    const printed = await readFile(join(dir, "up.log"), "utf8");
    await stop();
    throw new Error(`Cluster API's providers do not start: ${printed}`, { cause });
  }
  return { [Symbol.asyncDispose]: stop };
}
