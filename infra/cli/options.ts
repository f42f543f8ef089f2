import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../shared/function/errors.ts";
import { addressList } from "../platform/kube/server-access.ts";
import { print } from "../platform/terminal/print.ts";
import type { QueueFlags } from "../queue/backends/queue-source.ts";
import { parseLimit } from "../queue/deletion-limit/parse-limit.ts";
import { parseRunsPerSecond } from "../queue/parse-runs-per-second.ts";
import { type LoopbackAddress, parseLoopbackAddress } from "../worker/loopback-address.ts";
import type { Running } from "./compose.ts";
import type { RequestOptions } from "./management.ts";

/** Options of every process that serves functions. */
export interface ServeOptions extends RequestOptions, QueueFlags {
  readonly kubeconfig?: string;
  readonly functions: readonly string[];
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent";
  readonly metricsAddress?: LoopbackAddress;
  readonly functionsDir?: string;
  readonly deadLetters?: string;
  readonly historyMb?: number;
  readonly maxDeletionsPerHour?: number;
  readonly namespaceRunsPerSecond?: number;
}

export function addServeOptions(command: Command): Command {
  return addWorkOptions(command)
    .option(
      "--take-over-managers <names...>",
      "take over the fields set by these field managers, for example of Cluster API's manager",
    )
    .option(
      "--metrics-address <address>",
      "serve /metrics, /healthz, /readyz and /status, for example at 127.0.0.1:9090 (default: nowhere)",
      parseAddress,
    )
    .option(
      "--dead-letters <file>",
      "write dead letters to this file (default: beside the queue; memory: ~/.capstan/dead-letters.jsonl)",
    )
    .option(
      "--history-mb <number>",
      "most memory of the notes of runs, for capstan history and explain; 0 = none (default: 256 on Redis, 32 in memory)",
      parseMegabytes,
    );
}

/** Adds the options of every process that runs functions, also where nothing can be asked. */
export function addWorkOptions(command: Command): Command {
  return command
    .option(
      "--config <file>",
      "YAML with these options, as kubeApiQps: 100; flags win (its schema: capstan config-schema)",
    )
    .hook("preAction", async (_, called) => {
      const { config } = called.opts<{ readonly config?: string }>();
      if (config !== undefined) (await import("./config-file.ts")).applyConfig(called, config);
    })
    .addOption(kubeconfigOption())
    .option(
      "--kube-api-qps <number>",
      "requests a second to the management API server, per process (default: 500)",
      parseCount,
    )
    .option(
      "--kube-api-burst <number>",
      "burst of requests to the management API server (default: 1000)",
      parseCount,
    )
    .option(
      "--workload-api-qps <number>",
      "requests a second to each workload API server, per process (default: 100)",
      parseCount,
    )
    .option(
      "--workload-api-burst <number>",
      "burst of requests to each workload API server (default: 200)",
      parseCount,
    )
    .option(
      "--workload-addresses <cidrs...>",
      "connect to workload API servers in these address blocks only (default: anywhere but link-local; loopback if the management API server is there)",
      parseBlocks,
    )
    .option(
      "--functions <patterns...>",
      "serve only these functions, for example machinepool-*, a group (core, workload, credentials), or those of a provider (cluster-api, infrastructure-sim)",
      ["*"],
    )
    .option(
      "--max-deletions-per-hour <number>",
      "delete at most so many Nodes and so many Machines of a Cluster within an hour, and ask for as many remediations; the same for all processes on one queue (default: none)",
      argument(parseLimit),
    )
    .option(
      "--namespace-runs-per-second <number>",
      "run each function at most so many times a second for the objects of one namespace; the same for all processes on one queue (default: as often as needed)",
      argument(parseRunsPerSecond),
    )
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .addOption(logLevelOption());
}

/** Declares `--kubeconfig` of the management cluster. */
export function kubeconfigOption(): Option {
  return new Option(
    "--kubeconfig <file>",
    "management cluster (default: KUBECONFIG, in-cluster files, ~/.kube/config)",
  );
}

export function logLevelOption(): Option {
  const levels = ["debug", "info", "warn", "error", "silent"];
  return new Option("--log-level <level>", "log to standard error").choices(levels);
}

/** Declares `-o`: the first format is the default; any other than these is refused. */
export function outputOption(...formats: readonly string[]): Option {
  const option = new Option("-o, --output <format>", "how to print it").choices(formats);
  return option.default(formats[0]);
}

export const parseAddress: (text: string) => LoopbackAddress = argument(parseLoopbackAddress);

/** The value of an option; an empty one, as from a variable of a manifest, counts as absent. */
export function givenText(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Declares `--namespace`, given any number of times; an empty value adds nothing. */
export function namespaceOption(): Option {
  return new Option(
    "--namespace <namespace>",
    "look at this namespace only, may be repeated (default or empty: all)",
  ).argParser((text, before: readonly string[] = []) =>
    text === "" || before.includes(text) ? before : [...before, text],
  );
}

/** Declares `--kubeconfig-secrets` of processes that run under an account of their own. */
export function kubeconfigSecretsOption(): Option {
  return new Option(
    "--kubeconfig-secrets <how>",
    "get: read kubeconfig Secrets by name, when connecting, when they are refused and every 5 minutes; watch: see changes at once, which needs list and watch on Secrets",
  )
    .choices(["get", "watch"])
    .default("get");
}

/** Parses `--flag=true` and `--flag=false` of manifests. */
export function parseSwitch(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("write true or false");
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("a port is a whole number from 0 (any free one) to 65535");
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("it is a whole number above 0");
}

const MAX_MEGABYTES = 65_536;
function parseMegabytes(text: string): number {
  const megabytes = Number(text);
  if (/^\d+$/.test(text) && megabytes <= MAX_MEGABYTES) return megabytes;
  throw new InvalidArgumentError(`it is a whole number of MiB from 0 (none) to ${MAX_MEGABYTES}`);
}

/** Returns the same parser, whose errors are those of an argument. */
function argument<T>(parser: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parser(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };
}

function parseBlocks(text: string, before: readonly string[] = []): readonly string[] {
  try {
    addressList([text]);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
  return [...before, text];
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError("seconds are a number above 0");
}

/** Resolves once the process is asked to stop: Ctrl-C or SIGTERM. A second one ends it at once. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.once("SIGINT", () => process.exit(130));
      process.once("SIGTERM", () => process.exit(143));
      resolve();
    };
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
}

/** Prints the listeners: with port 0 these lines are the only place that names the ports. */
export function printListeners({
  metricsUrl,
  diagnosticsPort,
}: Pick<Running, "metricsUrl" | "diagnosticsPort">): void {
  if (metricsUrl !== undefined) print(`metrics: ${metricsUrl}/metrics, /healthz, /readyz, /status`);
  if (diagnosticsPort !== undefined)
    print(`diagnostics: port ${diagnosticsPort}: /metrics, /status, /keys, /scale`);
}

/** Its subcommands end in the same way. */
export function contractCommand(command: Command): Command {
  return command.exitOverride(exitAsWronglyCalled);
}

/** Ends a command that is called wrongly with 2, because 1 says that a contract is broken. Help ends with 0. */
export function exitAsWronglyCalled({ exitCode }: { readonly exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : 2);
}
