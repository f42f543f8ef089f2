import type { Command } from "commander";
import { tenantOf } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";
import type { RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import { formatKey } from "../../../shared/runtime/queue/key.ts";
import { systemClock } from "../../platform/clock.ts";
import { print, printJson } from "../../platform/terminal/print.ts";
import type { Backend } from "../../queue/backends/backend.ts";
import { openBackend } from "../../queue/backends/open.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { loadFunctions } from "../../worker/load.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import { askRuns } from "../explain/ask-process.ts";
import { QUIET } from "../letter-source.ts";
import { readManagement } from "../management.ts";
import { addObjectArguments, keyOf, namedObject } from "../object-arguments.ts";
import { kubeconfigOption, outputOption, parseAddress } from "../options.ts";
import { addQueueOptions, queueOf } from "../queue-options.ts";
import { reconciledKind } from "../reconciled-kind.ts";
import { reportSilences } from "../report-old.ts";
import { historyTable, type NotedRun } from "./history-table.ts";

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
