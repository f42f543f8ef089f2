import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { TRAITS } from "../../../shared/api/traits.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Hints } from "../../../shared/runtime/queue/hints.ts";
import { readEnvironment } from "../../platform/config.ts";
import { rest } from "../../platform/rest.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { print, printError } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { createMemoryHints, hintingStore } from "../../queue/backends/embedded/hints.ts";
import { giveBackMemory } from "../../worker/give-back-memory.ts";
import { compose, type Running } from "../compose.ts";
import type { Role } from "../compose-options.ts";
import type { UpConsoleFlags } from "../console/console-options.ts";
import { printListeners, type ServeOptions } from "../options.ts";
import { ownCommand } from "../own-command.ts";
import { queueOf } from "../queue-options.ts";
import { createLiveArea } from "../terminal/live-area.ts";
import { openLog } from "../terminal/log.ts";
import { applyManifests, type Manifest, readManifests } from "./apply-manifests.ts";
import type { LiveTree } from "./live-tree.ts";
import { unreadyAmong } from "./readiness.ts";
import { observedStore, transitionsBetween } from "./transitions.ts";

const EXAMPLE = fileURLToPath(new URL("../../playground/sim/example.yaml", import.meta.url));
const POLL_MS = 100;

/** Plays the roles until a person stops it, or everything is ready. */
export async function runUp(
  options: UpOptions,
  {
    roles,
    startedAt,
    stop,
  }: { readonly roles: ReadonlySet<Role>; readonly startedAt: number; readonly stop: Promise<void> },
): Promise<void> {
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
  printNextSteps(running, manifests, options);
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

/** Returns the table at the end of `capstan up`: every object that it waits for, with phase, replicas and Nodes. */
export async function printSummary(store: Store): Promise<void> {
  const rows = (
    await Promise.all(TRAITS.map(({ kind, ready }) => (ready === undefined ? [] : rowsOf(store, kind))))
  ).flat();
  if (rows.length > 0)
    print("", ...tableLines(["KIND", "NAMESPACE", "NAME", "PHASE", "DESIRED", "NODES", "AVAILABLE"], rows));
}

async function rowsOf(store: Store, { group, kind }: Kind): Promise<readonly (readonly string[])[]> {
  const objects = await store.list({ cluster: MANAGEMENT, group, kind }, {});
  return objects.map((object) => [
    kind,
    object.metadata.namespace ?? "",
    object.metadata.name,
    text(object, "status.phase"),
    text(object, "spec.replicas"),
    nodesOf(object),
    text(object, "status.conditions[Available].status"),
  ]);
}

function nodesOf(object: KubeObject): string {
  const refs = valueAt(object, "status.nodeRefs");
  return Array.isArray(refs) ? String(refs.length) : "";
}

function text(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  return value === undefined ? "" : String(value);
}

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

function printNextSteps(
  { kubeconfigFile }: Running,
  manifests: readonly Manifest[],
  { untilReady, console: address }: UpOptions,
): void {
  const flag = kubeconfigFile === undefined ? "" : ` --kubeconfig ${kubeconfigFile}`;
  const cluster = manifests.find(({ object }) => object.kind === "Cluster")?.object.metadata;
  const commands = [
    `kubectl${flag} get clusters,machinepools`,
    ...(cluster === undefined
      ? []
      : [`${ownCommand()} explain cluster ${cluster.namespace ?? "default"}/${cluster.name}${flag}`]),
  ];
  print(
    ...["", "Try in another terminal:", ...commands.map((each) => `  ${paint("cyan", each)}`)],
    ...(address === undefined ? ["With --console a web page shows the same."] : []),
    ...(untilReady ? [] : ["Ctrl-C stops."]),
    "",
  );
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

export interface UpOptions extends ServeOptions, UpConsoleFlags {
  readonly empty: boolean;
  readonly file?: readonly string[];
  readonly untilReady: boolean;
  readonly timeout: number;
  readonly installCrds: boolean;
  readonly olderVersions: boolean;
  readonly port: number;
  readonly data?: string;
  readonly writeKubeconfig: string;
  readonly roles?: readonly Role[];
  readonly quiet: boolean;
}
