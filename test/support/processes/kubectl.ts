import { existsSync } from "node:fs";
import { join } from "node:path";
import { refuseLeaks } from "../canaries.ts";
import { type CommandLine, commandLine } from "./run-command.ts";

const binary = findKubectl();
/** Go collects no garbage in a process that ends at once: a third of its CPU time. */
const ENV = { ...process.env, GOGC: "off" };

/** Why kubectl cannot be run here; undefined when it can. */
export function kubectlMissing(): string | undefined {
  return binary === undefined
    ? "kubectl is neither in KUBEBUILDER_ASSETS nor on PATH; install it (https://kubernetes.io/docs/tasks/tools/)"
    : undefined;
}

export type Kubectl = CommandLine;

/**
 * The real kubectl against one server, in the namespace of the kubeconfig unless another one is named. Whatever it reads
 * besides Secrets must show nothing of one: objects, their conditions, Events.
 */
export function kubectlFor(kubeconfigFile: string, namespace?: string): Kubectl {
  const to = ["--kubeconfig", kubeconfigFile, ...(namespace === undefined ? [] : ["--namespace", namespace])];
  const kubectl = commandLine(binary ?? "kubectl", to, ENV);
  const searched = async (args: string, input?: string): Promise<string> => {
    const output = await kubectl(args, input);
    if (!args.includes("secret")) refuseLeaks(`kubectl ${args}`, output);
    return output;
  };
  return Object.assign(searched, { try: kubectl.try });
}

function findKubectl(): string | undefined {
  const folders = [process.env["KUBEBUILDER_ASSETS"], ...(process.env["PATH"] ?? "").split(":")];
  return folders
    .flatMap((folder) => (folder ? [join(folder, "kubectl")] : []))
    .find((file) => existsSync(file));
}
