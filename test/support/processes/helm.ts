import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type CommandLine, commandLine } from "./run-command.ts";

const OWN = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan/tools/helm");
const HELM = existsSync(OWN) ? OWN : "helm";

/** Why Helm cannot be run here; undefined when it can. */
export function helmMissing(): string | undefined {
  return spawnSync(HELM, ["version"]).status === 0
    ? undefined
    : "no helm; npm run setup builds it where Go is";
}

/** Not every machine has Go. */
export const HELM_OPTIONAL = { optional: true, byName: true } as const;

/** Helm for the server of a kubeconfig; without one it renders only. */
export function helmFor(kubeconfigFile = ""): CommandLine {
  return commandLine(HELM, [], { ...process.env, KUBECONFIG: kubeconfigFile });
}
