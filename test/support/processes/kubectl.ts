import { existsSync } from "node:fs";
import { join } from "node:path";
import { spawnChild } from "./spawn-child.ts";

const binary = findKubectl();
/** Go collects no garbage in a process that ends at once: a third of its CPU time. */
const ENV = { ...process.env, GOGC: "off" };

/** Why kubectl cannot be run here; undefined when it can. */
export function kubectlMissing(): string | undefined {
  return binary === undefined
    ? "kubectl is neither in KUBEBUILDER_ASSETS nor on PATH; install it (https://kubernetes.io/docs/tasks/tools/)"
    : undefined;
}

export interface Kubectl {
  /** Standard output of one command. Throws with standard error when it fails. `input` goes to standard input. */
  (args: string, input?: string): Promise<string>;
  /** Whether the command succeeds, and what it printed on both streams. */
  try(args: string, input?: string): Promise<{ readonly ok: boolean; readonly output: string }>;
}

/**
 * The real kubectl against one server, in the namespace of the kubeconfig unless another one is named. Arguments are
 * split at blanks; quote with single quotes.
 */
export function kubectlFor(kubeconfigFile: string, namespace?: string): Kubectl {
  const to = ["--kubeconfig", kubeconfigFile, ...(namespace === undefined ? [] : ["--namespace", namespace])];
  const attempt = (args: string, input?: string) => run([...to, ...split(args)], input);
  const kubectl = async (args: string, input?: string): Promise<string> => {
    const { ok, stdout, output } = await attempt(args, input);
    if (!ok) throw new Error(`kubectl ${args}: ${output}`);
    return stdout;
  };
  return Object.assign(kubectl, { try: attempt });
}

function split(args: string): readonly string[] {
  return [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

function run(args: readonly string[], input = ""): Promise<{ ok: boolean; stdout: string; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(binary ?? "kubectl", args, { stdio: ["pipe", "pipe", "pipe"], env: ENV });
    let stdout = "";
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ ok: code === 0, stdout, output }));
    // One that ends before it has read everything says why by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function findKubectl(): string | undefined {
  const folders = [process.env["KUBEBUILDER_ASSETS"], ...(process.env["PATH"] ?? "").split(":")];
  return folders
    .flatMap((folder) => (folder ? [join(folder, "kubectl")] : []))
    .find((file) => existsSync(file));
}
