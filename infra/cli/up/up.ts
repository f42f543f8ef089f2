import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Hints } from "../../../shared/runtime/hints.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { readEnvironment } from "../../config.ts";
import { createMemoryHints, hintingStore } from "../../hints/memory.ts";
import { rest } from "../../rest.ts";
import { giveBackMemory } from "../../worker/give-back-memory.ts";
import { compose, type Running } from "../compose.ts";
import { ROLES, type Role } from "../compose-options.ts";
import { addUpConsoleOptions, type UpConsoleFlags } from "../console/console-options.ts";
import {
  addServeOptions,
  parsePort,
  parseSeconds,
  printListeners,
  type ServeOptions,
  stopRequested,
} from "../options.ts";
import { addQueueOptions, queueOf } from "../queue-options.ts";
import { createLiveArea } from "../terminal/live-area.ts";
import { openLog } from "../terminal/log.ts";
import { paint } from "../terminal/paint.ts";
import { print, printError } from "../terminal/print.ts";
import { applyManifests, type Manifest, readManifests } from "./apply-manifests.ts";
import type { LiveTree } from "./live-tree.ts";
import { unreadyAmong } from "./readiness.ts";
import { printSummary } from "./summary.ts";
import { observedStore, transitionsBetween } from "./transitions.ts";

const EXAMPLE = fileURLToPath(new URL("../../sim/example.yaml", import.meta.url));
const POLL_MS = 100;

interface UpOptions extends ServeOptions, UpConsoleFlags {
  readonly empty: boolean;
  readonly file?: readonly string[];
  readonly untilReady: boolean;
  readonly timeout: number;
  readonly installCrds: boolean;
  readonly port: number;
  readonly data?: string;
  readonly writeKubeconfig: string;
  readonly roles?: readonly Role[];
  readonly quiet: boolean;
}

export function upCommand(): Command {
  const command = new Command("up").description(
    "Run everything in one process: API server, relay, functions, simulated cloud, and an example Cluster",
  );
  addQueueOptions(
    addServeOptions(command),
    "memory (default), redis://HOST:PORT for BullMQ, or sqs://REGION?redis=redis://HOST:PORT",
  );
  return addUpConsoleOptions(command)
    .option("--install-crds", "with --kubeconfig: install Capstan's CustomResourceDefinitions", false)
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

async function up(options: UpOptions, command: Command): Promise<void> {
  const startedAt = Date.now();
  const stop = stopRequested();
  const roles = rolesOf(options, command);
  const manifests = await wantedManifests(options);
  const { stdout } = process;
  const inPlace = stdout.isTTY && !options.quiet;
  const area = inPlace ? createLiveArea(stdout) : undefined;
  let tree: LiveTree | undefined;
  const observe = inPlace ? () => tree?.changed() : printer(startedAt);
  const hints = createMemoryHints();
  const follow = (store: Store) => (options.console === undefined ? store : hintingStore(store, hints.note));
  const writeLog = area === undefined ? {} : { writeLog: (text: string) => area.above(text) };
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL, writeLog.writeLog);
  await using running = await compose({
    ...options,
    roles,
    queue: queueOf(options, log),
    ...writeLog,
    ...(options.console === undefined ? {} : { noteHint: hints.note }),
    wrapStore: (store) => follow(options.quiet ? store : observedStore(store, observe)),
  });
  using _giving = giveBackMemory();
  await applyManifests(running.server.as("up"), manifests, printError);
  printNextSteps(running, options.untilReady);
  printListeners(running);
  await using _console = await startConsole(running, options, hints);
  if (area !== undefined) {
    tree = (await import("./live-tree.ts")).startLiveTree(running, area);
    stdout.on("resize", observe);
  }
  const objects = manifests.map(({ object }) => object);
  if (options.untilReady) await untilReady(running, objects, { stop, timeoutMs: options.timeout * 1_000 });
  else await Promise.race([stop, running.ended]);
  await tree?.[Symbol.asyncDispose]();
  await printSummary(running.store);
}

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

/** A process without a console loads none of its code. */
async function startConsole(
  running: Running,
  options: UpOptions,
  hints: Hints,
): Promise<AsyncDisposable | undefined> {
  if (options.console === undefined) return undefined;
  const { serveUpConsole } = await import("../console/up-console.ts");
  return serveUpConsole(running, { ...options, address: options.console, hints });
}

async function wantedManifests(options: UpOptions): Promise<readonly Manifest[]> {
  const files = options.file ?? (options.empty || isUsed(options.data) ? [] : [EXAMPLE]);
  return (await Promise.all(files.map(readManifests))).flat();
}

/** Objects that an earlier `up` left must not be reset to the example. */
function isUsed(data: string | undefined): boolean {
  return data !== undefined && existsSync(data) && readdirSync(data).length > 0;
}

/** Prints one line per transition, with the seconds since the start. */
function printer(startedAt: number): Parameters<typeof observedStore>[1] {
  return (type, before, after) => {
    for (const { object, text } of transitionsBetween(type, before, after)) {
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(2).padStart(6);
      print(`${paint("dim", `${seconds}s`)}  ${object.padEnd(44)}  ${text}`);
    }
  };
}

function printNextSteps({ kubeconfigFile }: Running, untilReady: boolean): void {
  const flag = kubeconfigFile === undefined ? "" : ` --kubeconfig ${kubeconfigFile}`;
  const command = paint("cyan", `kubectl${flag} get clusters,machinepools`);
  print("", "Try in another terminal:", `  ${command}`, ...(untilReady ? [] : ["Ctrl-C stops."]), "");
}

async function untilReady(
  { store, clock }: Running,
  objects: readonly KubeObject[],
  limits: { readonly stop: Promise<void>; readonly timeoutMs: number },
): Promise<void> {
  const deadline = clock.now().getTime() + limits.timeoutMs;
  let stopped = false;
  void limits.stop.then(() => {
    stopped = true;
  });
  let unready = await unreadyAmong(store, objects);
  while (unready.length > 0 && !stopped && clock.now().getTime() < deadline) {
    await rest(POLL_MS, clock);
    unready = await unreadyAmong(store, objects);
  }
  if (unready.length === 0) return;
  process.exitCode = 1;
  const waited = stopped ? "stopped before it was ready" : `not ready after ${limits.timeoutMs / 1_000} s`;
  printError([`${waited}:`, ...unready.map(({ object, why }) => `${object}: ${why}`)].join("\n"));
}
