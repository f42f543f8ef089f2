import type { Command } from "commander";
import { tenantOf } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";
import { titleOfWrite } from "../../../shared/runtime/letters/run-entry.ts";
import type {
  FieldChange,
  RunEntry,
  RunHistory,
  Written,
} from "../../../shared/runtime/letters/run-history.ts";
import { formatKey } from "../../../shared/runtime/queue/key.ts";
import { systemClock } from "../../platform/clock.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { print, printJson } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import type { Backend } from "../../queue/backends/backend.ts";
import { openBackend } from "../../queue/backends/open.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { loadFunctions } from "../../worker/load.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import { askRuns } from "../explain/open-history.ts";
import { QUIET } from "../letter-source.ts";
import { readManagement } from "../management.ts";
import { addObjectArguments, keyOf, namedObject, reconciledKind } from "../object-arguments.ts";
import { kubeconfigOption, outputOption, parseAddress } from "../options.ts";
import { addQueueOptions, queueOf } from "../queue-options.ts";
import { reportSilences } from "../report-old.ts";
import { oneLine } from "../tree/lines.ts";

interface HistoryOptions extends QueueFlags {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly metricsAddress?: LoopbackAddress;
  readonly functionsDir?: string;
  readonly function?: string;
  readonly output: string;
}

const EXAMPLES = `
Examples:
  capstan history machinepool default/demo-pool --metrics-address 127.0.0.1:9464
  capstan history cluster default/demo --queue redis://127.0.0.1:6379
  capstan history machine default/demo-worker --function machine-node -o json

The last 20 runs of each function for the object, of 24 hours at most. Runs in a row that had nothing to do are one line.
A cause names the version of an object; the run that wrote that version has led to this one. Notes may be lost, and
workers on AWS Lambda leave none.`;

export function historyCommand(command: Command): Command {
  addObjectArguments(command, "cluster, machine, machinepool, … any kind that a function reconciles");
  return addQueueOptions(command, "the queue that relay and workers share (default: CAPSTAN_QUEUE)")
    .addOption(kubeconfigOption())
    .option("--metrics-address <address>", "of capstan up, whose queue is in its memory", parseAddress)
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .option("--function <name>", "only runs of this function, for example machinepool-status")
    .addOption(outputOption("table", "json"))
    .addHelpText("after", EXAMPLES)
    .action(printHistory);
}

async function printHistory(
  kindArgument: string,
  objectArgument: string | undefined,
  options: HistoryOptions,
): Promise<void> {
  const named = namedObject(kindArgument, objectArgument, options);
  const functions = await loadFunctions(undefined, options.functionsDir);
  const kind = reconciledKind(functions, named.kindName);
  const asked = functionsFor(functions, kind, options.function);
  await using source = await openRuns(options);
  await reportSilences(source.of);
  const object = await readObject(kind, keyOf(kind, named), options.kubeconfig);
  const runs = await runsOf(source.runs, asked, { kind, object });
  if (options.output === "json") printJson(runs);
  else if (runs.length === 0) print(`no run for ${kind.kind} ${named.objectName} is known`);
  else print(...historyTable(runs));
}

function functionsFor(
  functions: readonly AnyFunction[],
  kind: Kind,
  name: string | undefined,
): readonly AnyFunction[] {
  const own = reconcilersOf(functions, kind);
  const found = own.filter(({ spec }) => spec.name === (name ?? spec.name));
  if (found.length > 0) return found;
  const names = own.map(({ spec }) => spec.name).join(", ");
  throw new Error(`no function of ${kind.kind} is named ${name}; there are ${names}`);
}

interface RunSource extends AsyncDisposable {
  readonly of: Backend;
  readonly runs: RunHistory["runs"];
}

async function openRuns({ metricsAddress, ...flags }: HistoryOptions): Promise<RunSource> {
  const backend = await openBackend(queueOf(flags, QUIET));
  if (!backend.capabilities.isShared) {
    if (metricsAddress !== undefined)
      return { of: backend, runs: askRuns(metricsAddress), [Symbol.asyncDispose]: async () => undefined };
    throw new Error(
      "the history is beside the queue: add --queue redis://HOST:PORT or --queue-file FILE, or --metrics-address of a capstan up",
    );
  }
  const history = await backend.history({ clock: systemClock, log: QUIET });
  if (history === undefined) throw new Error("bug: a history without a bound is on");
  return { of: backend, runs: history.runs, [Symbol.asyncDispose]: () => history[Symbol.asyncDispose]() };
}

/** A key names the Cluster of its object, which the object knows. */
async function readObject(kind: Kind, key: ObjectKey, kubeconfig: string | undefined): Promise<KubeObject> {
  const connect = await readManagement(kubeconfig, { clock: systemClock, log: QUIET });
  using server = connect();
  const object = await server.as("history").get(kind, key);
  if (object !== undefined) return object;
  throw new Error(`${titleOf(kind.kind, key)} does not exist; kubectl get ${kind.plural} -A lists them`);
}

/** Reads the runs of all functions, the newest first. */
async function runsOf(
  runs: RunHistory["runs"],
  functions: readonly AnyFunction[],
  { kind, object }: { readonly kind: Kind; readonly object: KubeObject },
): Promise<readonly NotedRun[]> {
  const { namespace = "", name } = object.metadata;
  const noted = await Promise.all(
    functions.map(async ({ spec }) => {
      const key = formatKey({ namespace, name, kind: kind.kind, tenant: tenantOf(spec.reconciles, object) });
      return (await runs(spec.name, key)).map((run) => ({ function: spec.name, key, ...run }));
    }),
  );
  return noted.flat().sort((a, b) => (a.endedAt > b.endedAt ? -1 : 1));
}

/** An item of `-o json`. */
export interface NotedRun extends RunEntry {
  readonly function: string;
  readonly key: string;
}

const MAX_CHANGES = 3;

/** Returns a row for each run, and one for each further write of it. */
export function historyTable(runs: readonly NotedRun[]): readonly string[] {
  return tableLines(["TIME", "FUNCTION", "CAUSE", "OUTCOME", "WRITES", "NEXT"], runs.flatMap(rowsOf));
}

function rowsOf(run: NotedRun): readonly (readonly string[])[] {
  const [first = "", ...others] = writesOf(run);
  const row = [timeOf(run.endedAt), run.function, causeOf(run), outcomeOf(run), first, nextOf(run)];
  return [row, ...others.map((write) => ["", "", "", "", write, ""])];
}

/** Returns the time in seconds, as in the log. */
function timeOf(at: string): string {
  return at.replace(/\.\d+Z$/, "Z");
}

function causeOf({ causes }: RunEntry): string {
  const [newest, ...others] = causes;
  if (newest === undefined) return "";
  const { what, resourceVersion } = newest;
  const version = resourceVersion === undefined ? "" : `@${resourceVersion}`;
  return `${oneLine(what)}${version}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

function outcomeOf(run: RunEntry): string {
  const { outcome, failure, writes, times = 1 } = run;
  if (failure !== undefined) return paint("red", `${failure.reason}: ${oneLine(failure.message)}`);
  const waits = waitOf(run);
  if (writes.length > 0) return waits === undefined ? "wrote" : `wrote, ${waits}`;
  const idle = outcome === "again" ? "not up to date" : (waits ?? "nothing to do");
  return paint("dim", times === 1 ? idle : `${times} × ${idle}`);
}

/** Returns what it waits for; with a time it is why the function runs again by itself. */
function waitOf({ waitingFor, afterMs }: RunEntry): string | undefined {
  if (waitingFor === undefined) return undefined;
  return afterMs === undefined ? `waits for ${oneLine(waitingFor)}` : oneLine(waitingFor);
}

function writesOf({ writes, moreWrites = 0 }: RunEntry): readonly string[] {
  return [...writes.map(writeText), ...(moreWrites === 0 ? [] : [`and ${moreWrites} more`])];
}

function writeText(write: Written): string {
  const { resourceVersion, changes, moreChanges = 0 } = write;
  const version = resourceVersion === undefined ? "" : `@${resourceVersion}`;
  const more = changes.length - MAX_CHANGES + moreChanges;
  const shown = changes.slice(0, MAX_CHANGES).map(changeText).join(", ");
  const fields = shown === "" ? "" : `: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
  return `${titleOfWrite(write)}${version}${fields}`;
}

function changeText({ path, value, removed }: FieldChange): string {
  if (removed === true) return `${path} removed`;
  return value === undefined ? path : `${path}=${value}`;
}

function nextOf({ failure, afterMs }: RunEntry): string {
  if (failure?.class === "Terminal") return "in 10 to 15 minutes, or when its object changes";
  if (failure !== undefined) return "again with backoff";
  return afterMs === undefined ? "on an event" : `after ${(afterMs / 1_000).toFixed(1)}s`;
}
