import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { printError } from "../../platform/terminal/print.ts";
import type { Mutation } from "../../providers/contract/probe/manifest.ts";
import type { ProbeOutcome } from "../../providers/contract/probe/probe.ts";
import { stopRequested } from "../options.ts";
import { addJudgingOptions, type JudgingOptions, printReport } from "./print-report.ts";

interface ProbeCommandOptions extends JudgingOptions {
  readonly file: string;
  readonly limit: number;
  readonly rest: number;
  readonly mutate?: Mutation;
  readonly namespace: string;
  readonly kubeconfig?: string;
}

const EXAMPLES = `
Makes a namespace, applies the manifest there, scales the MachinePool, labels Machines, pauses, changes templates in dry
runs, makes a second Cluster whose infrastructure is managed elsewhere, empties every status, deletes, and cleans up,
also after Ctrl-C. Core and the providers have to run in the cluster of the kubeconfig.

Exit status: 0 every MUST is kept, 1 one is broken, 2 the life could not be lived to its end, or something is left.

Examples:
  clusterctl generate cluster try --flavor pool > cluster.yaml
  capstan contract probe -f cluster.yaml
  capstan contract probe -f machines.yaml --mutate spec.size=large --limit 30m`;

/** 4.3: nothing may change for ten seconds. */
const REST_SECONDS = 10;

export function probeCommand(command: Command): Command {
  return addJudgingOptions(command)
    .requiredOption(
      "-f, --file <manifest>",
      "a Cluster as clusterctl generate cluster prints it, - for stdin",
    )
    .addOption(
      new Option("--limit <duration>", "of each wait: 90s, 10m, 1h")
        .argParser(parseDuration)
        .default(600_000, "10m"),
    )
    .addOption(
      new Option(
        "--mutate <change>",
        "PATH=VALUE: change this field of provider objects while paused, and back",
      ).argParser(parseMutation),
    )
    .addOption(
      new Option("--rest <duration>", "how long nothing may change while paused")
        .argParser(parseDuration)
        .default(REST_SECONDS * 1_000, "10s"),
    )
    .option("-n, --namespace <name>", "namespace to make; must not exist", "contract-probe")
    .option("--kubeconfig <file>", "default: KUBECONFIG, in-cluster files, ~/.kube/config")
    .addHelpText("after", EXAMPLES)
    .action(async (options: ProbeCommandOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: ProbeCommandOptions): Promise<number> {
  const outcome = await probed(options);
  if (typeof outcome === "string") {
    printError(outcome);
    return 2;
  }
  const { cores, timeline, left } = outcome;
  const lines = [
    ...timeline.map(({ at, step }) => `${at} ${step}`),
    "",
    ...(cores.length > 0 ? [`Core: ${cores.join(", ")}`, ""] : []),
  ];
  return await printReport(outcome, options, { members: { cores, timeline, left }, lines });
}

/** Returns the message where nothing could be probed. */
async function probed(options: ProbeCommandOptions): Promise<ProbeOutcome | string> {
  const {
    file,
    limit: limitMs,
    rest: restMs,
    mutate: mutation,
    namespace,
    as: named,
    waive: waivers,
  } = options;
  const { probe } = await import("../../providers/contract/probe/probe.ts");
  const { readManifest } = await import("../../providers/contract/probe/manifest.ts");
  const { openForeignServer } = await import("../management.ts");
  const stop = new AbortController();
  try {
    const manifest = await readManifest(file);
    using server = await openForeignServer(options.kubeconfig, systemClock);
    void stopRequested().then(() => {
      printError("cleaning up; Ctrl-C again leaves it undone");
      stop.abort();
    });
    const life = { limitMs, restMs, mutation, signal: stop.signal, note: showStep };
    return await probe(server, manifest, { ...life, namespace, named, waivers, clock: systemClock });
  } catch (error) {
    return messageOf(error);
  }
}

/** Shows a step on a terminal, so that a wait of minutes has a reason; the report has the steps with their times. */
function showStep(step: string): void {
  if (process.stderr.isTTY) printError(step);
}

const UNIT_MS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 };
const MAX_MS = 24 * 3_600_000;

function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw new InvalidArgumentError("Write a number of s, m or h, at most a day: 90s, 10m, 1h.");
}

function parseMutation(text: string): Mutation {
  const [, path = "", value = ""] = /^(spec\.[^=\s]+)=(.+)$/s.exec(text) ?? [];
  if (path === "") throw new InvalidArgumentError("Write PATH=VALUE with a PATH below spec.");
  try {
    return { path, value: JSON.parse(value) };
  } catch {
    // A text without quotes.
    return { path, value };
  }
}
