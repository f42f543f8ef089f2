import type { Command } from "commander";
import { type Kind, type KubeObject, kindNames, type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { CORE_PROVIDER } from "../../../shared/function/providers.ts";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import {
  type Explained,
  type ExplainedFunction,
  type ExplainedTree,
  explainTree,
} from "../../operate/explain/explain-tree.ts";
import { foldCauses } from "../../operate/explain/fold-causes.ts";
import type { ObjectFacts } from "../../operate/explain/object-facts.ts";
import { clusterNamed } from "../../operate/explain/object-tree.ts";
import { systemClock } from "../../platform/clock.ts";
import { print, printJson } from "../../platform/terminal/print.ts";
import { allHeads } from "../../queue/letters/all-heads.ts";
import { knownDeaths, stillDead } from "../../queue/letters/known-deaths.ts";
import { loadFunctions } from "../../worker/load.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import { addSourceOptions, type LetterSource, SHARED_QUEUE, type SourceOptions } from "../letter-source.ts";
import { addObjectArguments, keyOf, namedObject, reconciledKind } from "../object-arguments.ts";
import { kubeconfigOption, outputOption, parseAddress } from "../options.ts";
import { textOfConcern, titleOfFacts } from "../tree/lines.ts";
import { addWatchOption, watchRows } from "../watch-rows.ts";
import { textOfFolded, textOfFunction } from "./explain-text.ts";
import { textOfCheck, textOfMachineHealth } from "./health-text.ts";
import { openHistory, openReachable } from "./open-history.ts";
import { openModel, type ReadModel } from "./read-model.ts";

interface ExplainOptions extends SourceOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly metricsAddress?: LoopbackAddress;
  readonly functionsDir?: string;
  readonly output: string;
  readonly all: boolean;
  readonly watch: boolean;
}

/** The steps of a whole tree run for each look. */
const EXPLAIN_EVERY_MS = 2 * SECOND;

const EXAMPLES = `
Examples:
  capstan explain machinepool default/demo-pool
  capstan explain machine default/demo-worker
  capstan explain machinehealthcheck default/demo-workers
  capstan explain cluster default/demo --queue redis://127.0.0.1:6379
  capstan explain cluster default/demo --metrics-address 127.0.0.1:9464
  capstan explain cluster default/demo --watch

A cause that holds up several functions stands once, in front, with its remedy. Without --queue and --metrics-address it says what every function would do now; with one of them also what it last
did and why, and when it runs next. Of a MachineHealthCheck and of a Machine it also shows each verdict, since when,
the next deadline, who holds a place of the limit, and what remediation waits for; -o json has all targets.`;

export function explainCommand(command: Command): Command {
  addObjectArguments(
    command,
    "cluster, machine, machineset, machinepool, machinehealthcheck, or any other kind that a function reconciles",
  );
  addWatchOption(command);
  return addSourceOptions(command, SHARED_QUEUE)
    .addOption(kubeconfigOption())
    .option("--metrics-address <address>", "of capstan up, whose queue is in its memory", parseAddress)
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .option(
      "--all",
      "every function and condition, also idle functions and conditions without a problem",
      false,
    )
    .addOption(outputOption("text", "json"))
    .addHelpText("after", EXAMPLES)
    .action(explain);
}

async function explain(
  kindArgument: string,
  objectArgument: string | undefined,
  options: ExplainOptions,
): Promise<void> {
  const named = namedObject(kindArgument, objectArgument, options);
  const kind = await kindNamed(named.kindName, options);
  const key = keyOf(kind, named);
  const { source: opened, away } = await openReachable(options);
  await using source = opened;
  await using model = await openModel(source.backend, { ...options, namespace: key.namespace });
  const { functions } = model;
  const object = await requireObject(model, kind, key);
  const cluster = clusterNamed(kind, object);
  if (cluster !== undefined) await model.connected(cluster);
  await using asked = await openHistory(source, functions, options);
  const look = async (found: KubeObject): Promise<ExplainedTree> => {
    const explained = await explainTree(
      {
        // A watch does not ask again and again who wrote each field.
        model: options.watch ? model : { ...model, live: model.server.as("explain") },
        functions,
        clock: systemClock,
        history: asked.history(),
        unserved: asked.unserved,
        deadLetters: await deadHeads(source),
      },
      { kind, object: found },
    );
    return { ...explained, causes: [...away, ...explained.causes] };
  };
  if (options.watch) return await watchTree(model.store, { kind, key, look, options });
  const explained = await look(object);
  if (options.output === "json") printJson(explained);
  else print(...textOf(kind, explained, options));
}

/** Finds the kind without a server, among those of the core first: of these most people ask, and they load sooner. */
async function kindNamed(name: string, { functionsDir }: ExplainOptions): Promise<Kind> {
  const core = functionsDir === undefined ? await loadFunctions([CORE_PROVIDER]) : [];
  const isCore = core.some(({ spec }) => kindNames(spec.reconciles).includes(name.toLowerCase()));
  return reconciledKind(isCore ? core : await loadFunctions(undefined, functionsDir), name);
}

/** A letter stays when its key lives again; a queue in the memory of another process cannot be asked. */
async function deadHeads({ deadLetters, queue }: LetterSource): Promise<readonly DeadLetterHead[]> {
  const heads = await allHeads(deadLetters);
  return queue === undefined ? heads : stillDead(await knownDeaths(heads, queue));
}

interface Watching {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly look: (object: KubeObject) => Promise<ExplainedTree>;
  readonly options: ExplainOptions;
}

/** The facts of one object of a tree, or how one function stands for it. */
type ExplainedRow = ObjectFacts | (ExplainedFunction & { readonly object: string });

/** Returns a tree as rows, so that each change of one can be said alone. */
function rowsOf({ functions, children, more: _, ...facts }: Explained): readonly ExplainedRow[] {
  const { object } = facts;
  return [facts, ...functions.map((each) => ({ ...each, object })), ...children.flatMap(rowsOf)];
}

function idOfRow(row: ExplainedRow): string {
  return "function" in row ? `${row.object}  ${row.function}` : row.object;
}

/** One line without what passes by itself, such as the time until the next run. */
function textOfRow(row: ExplainedRow): string {
  if ("function" in row) return `${idOfRow(row)}  ${textOfFunction(row)}`;
  return [titleOfFacts(row), ...row.conditions.map(textOfConcern)].join("  ");
}

/** An object that goes has no rows any more; it may come again. */
async function watchTree(store: ReadModel["store"], { kind, key, look, options }: Watching): Promise<void> {
  let newest: ExplainedTree | undefined;
  await watchRows(options, {
    clock: systemClock,
    everyMs: EXPLAIN_EVERY_MS,
    look: async () => {
      const object = await store.get(managementType(kind), key);
      newest = object && (await look(object));
      return newest === undefined ? [] : rowsOf(newest);
    },
    idOf: idOfRow,
    draw: () =>
      newest === undefined ? [`${titleOf(kind.kind, key)} does not exist`] : textOf(kind, newest, options),
    text: textOfRow,
  });
}

function textOf(kind: Kind, explained: ExplainedTree, { all }: ExplainOptions): readonly string[] {
  return [...linesOf(explained, all), ...healthLines(kind, explained)];
}

/** Returns what stands behind the tree: a table for people. */
function healthLines({ kind }: Kind, { health = [] }: ExplainedTree): readonly string[] {
  if (health.length === 0) return [];
  const now = systemClock.now();
  const lines =
    kind === Machine.kind ? textOfMachineHealth(health, now) : health.flatMap((one) => textOfCheck(one, now));
  return ["", ...lines];
}

function linesOf(explained: ExplainedTree, all: boolean): readonly string[] {
  const folded = foldCauses(explained, explained.causes);
  return textOfFolded(all ? { ...folded, explained, idle: 0 } : folded, systemClock.now());
}

async function requireObject(model: ReadModel, kind: Kind, key: ObjectKey): Promise<KubeObject> {
  const { server, store } = model;
  const found = await store.get(managementType(kind), key);
  if (found !== undefined) return found;
  const name = titleOf(kind.kind, key);
  const live = await server.as("explain").get(kind, key);
  throw new Error(
    live === undefined
      ? `${name} does not exist on ${server.url.origin}; kubectl get ${kind.plural} -A lists them`
      : `${name} exists, but the read model of the queue does not hold it: is capstan relay running, on this queue and this management cluster?`,
  );
}
