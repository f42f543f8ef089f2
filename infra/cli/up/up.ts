import { homedir } from "node:os";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { packageVersion } from "../../platform/package-version.ts";
import { print } from "../../platform/terminal/print.ts";
import { ROLES, type Role } from "../compose-options.ts";
import { addUpConsoleOptions } from "../console/console-options.ts";
import { addServeOptions, parsePort, parseSeconds, stopRequested } from "../options.ts";
import { addQueueOptions } from "../queue-options.ts";
import type { UpOptions } from "./run-up.ts";

export function upCommand(command: Command): Command {
  addQueueOptions(
    addServeOptions(command),
    "memory (default), redis://HOST:PORT for BullMQ, or sqs://REGION?redis=redis://HOST:PORT",
  );
  return addUpConsoleOptions(command)
    .option("--install-crds", "with --kubeconfig: install Capstan's CustomResourceDefinitions", false)
    .option(
      "--no-older-versions",
      "do not serve v1beta1 of the kinds that are installed: each write then saves a conversion, one of v1beta1 three to nine, of about 1 ms each",
    )
    .option("-f, --file <files...>", "apply these manifests at start instead of the example")
    .option("--empty", "do not apply the example", false)
    .option(
      "--until-ready",
      "exit 0 once everything applied is ready, 1 with the reasons after --timeout",
      false,
    )
    .option("--timeout <seconds>", "how long --until-ready waits", parseSeconds, 60)
    .option("--port <port>", "port of the embedded API server, 0 = any free one", parsePort, 0)
    .option(
      "--data <folder>",
      "keep the embedded API server's objects there; the next start continues with them, without the example",
    )
    .option(
      "--write-kubeconfig <file>",
      "write the kubeconfig of the embedded API server to this file",
      defaultKubeconfig(),
    )
    .addOption(new Option("--roles <roles...>", "play only these parts").choices(ROLES))
    .option("-q, --quiet", "do not show transitions or the tree", false)
    .addHelpText(
      "after",
      "\nExamples:\n  capstan up\n  capstan up --until-ready\n  capstan up --kubeconfig FILE --install-crds -f pool.yaml",
    )
    .action(up);
}

function defaultKubeconfig(): string {
  return join(homedir(), ".capstan", "kubeconfig");
}

/** The first line comes before the code of all parts is loaded, which takes seconds. */
async function up(options: UpOptions, command: Command): Promise<void> {
  const startedAt = Date.now();
  const stop = stopRequested();
  const roles = rolesOf(options, command);
  if (!options.quiet)
    print(`capstan ${packageVersion()} starts: ${[...roles].map((role) => PARTS[role]).join(", ")}`);
  const { runUp } = await import("./run-up.ts");
  await runUp(options, { roles, startedAt, stop });
}

const PARTS: { readonly [R in Role]: string } = {
  apiserver: "an API server",
  cloud: "a simulated cloud",
  relay: "the relay",
  worker: "the functions",
};

/** Throws where options name two management clusters: one would be left out without a word, and its file overwritten. */
function rolesOf({ roles, kubeconfig }: UpOptions, command: Command): ReadonlySet<Role> {
  const played = roles ?? ROLES.filter((role) => role !== "apiserver" || kubeconfig === undefined);
  const isEmbedded = played.includes("apiserver");
  if (isEmbedded && kubeconfig !== undefined) {
    throw new Error(
      "--kubeconfig names a management cluster, and --roles apiserver starts another one; leave out one of them (--write-kubeconfig FILE says where the kubeconfig of the one that is started is written)",
    );
  }
  const unused = Object.entries(OF_EMBEDDED).find(
    ([name]) => !isEmbedded && command.getOptionValueSource(name) === "cli",
  );
  if (unused !== undefined) {
    throw new Error(
      `${unused[1]} is of the embedded API server, which this process does not start; leave it out, or leave out --kubeconfig and --roles`,
    );
  }
  return new Set(played);
}
const OF_EMBEDDED = { port: "--port", data: "--data", writeKubeconfig: "--write-kubeconfig" };
