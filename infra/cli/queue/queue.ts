import type { Command } from "commander";
import type { TenantDepth } from "../../../shared/runtime/queue/queue-port.ts";
import type { QueuePeek, QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { print } from "../../platform/terminal/print.ts";
import { tableLines, timeText } from "../../platform/terminal/table.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { loadFunctions } from "../../worker/load.ts";
import { callerName } from "../caller-name.ts";
import { openSource, QUIET } from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { addQueueOptions, sharedQueue } from "../queue-options.ts";
import { openReports } from "../report-old.ts";
import { addWatchOption, watchRows } from "../watch-rows.ts";

/** A function in the output of `capstan queue`. */
interface QueueRow extends QueuePeek {
  readonly function: string;
  /** Those with the most keys, most first. */
  readonly tenants?: { readonly [tenant: string]: TenantDepth };
}

interface QueueOptions extends QueueFlags {
  readonly functionsDir?: string;
  readonly output: string;
  readonly watch: boolean;
}

/** Tenants of each function that `-o wide` and `-o json` show. */
const TENANTS_SHOWN = 20;

const EXAMPLES = `
Examples:
  capstan queue --queue redis://127.0.0.1:6379
  capstan queue 'machine-*' --watch
  capstan queue pause machine-delete --yes

Looking changes nothing: a user of Redis that may only read is enough.`;

export function queueCommand(command: Command): Command {
  command
    .argument("[patterns...]", "names or patterns such as machinepool-*")
    // Otherwise the options of pause and resume, which have the same names, would be read as those of this command.
    .enablePositionalOptions();
  return addWatchOption(
    addQueueOptions(
      command,
      "redis://HOST:PORT or sqs://REGION?redis=redis://HOST:PORT (default: CAPSTAN_QUEUE)",
    ),
  )
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .addOption(outputOption("table", "wide", "json"))
    .addHelpText("after", EXAMPLES)
    .action(show);
}

async function show(patterns: readonly string[], options: QueueOptions): Promise<void> {
  await using source = await openSource({}, sharedQueue(options, "queue", QUIET));
  const { queue } = source;
  if (queue === undefined) throw new Error("bug: a shared queue has no ledger");
  const functions = await loadFunctions(patterns.length === 0 ? undefined : patterns, options.functionsDir);
  const names = functions.map(({ spec }) => spec.name);
  await using reports = openReports(source, functions);
  await watchRows(options, {
    clock: source.clock,
    async look() {
      // Counts that no longer change would look like work that is done.
      await reports.report();
      return Promise.all(names.map((name) => rowOf(queue, name, options.output !== "table")));
    },
    idOf: (row) => row.function,
    draw: (rows) => (options.output === "wide" ? tenantsTable(rows) : tableOf(rows)),
    text: changeText,
  });
}

async function rowOf(queue: QueueReader, name: string, withTenants: boolean): Promise<QueueRow> {
  const [depth, top] = await Promise.all([
    queue.peek(name),
    withTenants ? queue.topTenants(name, TENANTS_SHOWN) : [],
  ]);
  const tenants = Object.fromEntries(top.map(({ tenant, ...counts }) => [tenant, counts]));
  return { function: name, ...depth, ...(top.length === 0 ? {} : { tenants }) };
}

function tableOf(rows: readonly QueueRow[]): readonly string[] {
  const header = ["FUNCTION", "DEPTH", "OLDEST READY", "RUNNING", "WAITING", "DEAD", "NEXT DUE", "STATE"];
  return tableLines(header, rows.map(cellsOf));
}

function tenantsTable(rows: readonly QueueRow[]): readonly string[] {
  return tableLines(
    ["FUNCTION", "TENANT", "DEPTH", "RUNNING", "WAITING", "DEAD"],
    rows.flatMap((row) => [
      [row.function, "(all)", ...countsOf(row)],
      ...Object.entries(row.tenants ?? {}).map(([tenant, depth]) => ["", tenant, ...countsOf(depth)]),
    ]),
  );
}

/** One line about a function without what passes by itself, such as ages. */
function changeText(row: QueueRow): string {
  const [depth, running, waiting, dead] = countsOf(row);
  const state = stateOf(row);
  return `${row.function}  ready ${depth}  running ${running}  waiting ${waiting}  dead ${dead}${state === "" ? "" : `  ${state}`}`;
}

function cellsOf(row: QueueRow): readonly string[] {
  const { oldestReadyMs = {}, nextDueMs } = row;
  const oldest = Math.max(oldestReadyMs.live ?? -1, oldestReadyMs.resync ?? -1);
  const [depth = "", ...counts] = countsOf(row);
  return [
    row.function,
    depth,
    row.ready === 0 || oldest < 0 ? "" : timeText(oldest),
    ...counts,
    nextDueMs === undefined ? "" : timeText(nextDueMs),
    stateOf(row),
  ];
}

function stateOf({ paused, pausedInBullmq, breakerOpen }: QueueRow): string {
  if (paused === true) return "paused";
  if (pausedInBullmq === true) return "paused in BullMQ";
  return breakerOpen === true ? "breaker open" : "";
}

function countsOf({ ready, running, waiting, dead }: TenantDepth): readonly string[] {
  return [ready, running, waiting, dead].map(String);
}

interface PauseOptions extends QueueFlags {
  readonly functionsDir?: string;
  readonly yes: boolean;
}

export function pauseCommand(command: Command): Command {
  return withAction(command, true);
}

export function resumeCommand(command: Command): Command {
  return withAction(command, false);
}

function withAction(command: Command, pauses: boolean): Command {
  return addQueueOptions(
    command.argument("<patterns...>", "names or patterns such as machinepool-*"),
    "redis://HOST:PORT or sqs://REGION?redis=redis://HOST:PORT (default: CAPSTAN_QUEUE)",
  )
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .option("--yes", "do it; without --yes, only print what would be done", false)
    .action((patterns: string[], options: PauseOptions) => setPaused(patterns, options, pauses));
}

async function setPaused(patterns: readonly string[], options: PauseOptions, pauses: boolean): Promise<void> {
  const verb = pauses ? "pause" : "resume";
  await using source = await openSource({}, sharedQueue(options, `queue ${verb}`, QUIET));
  const { queue, log } = source;
  if (queue === undefined) throw new Error("bug: a shared queue has no ledger");
  for (const { spec } of await loadFunctions(patterns, options.functionsDir)) {
    const { name } = spec;
    const { paused = false, pausedInBullmq = false } = await queue.peek(name);
    // Another person may be faster than this one.
    if (paused === pauses || (options.yes && !(await queue[verb](name)))) {
      print(`${name} ${pauses ? "is paused already" : notPaused(pausedInBullmq)}`);
      continue;
    }
    if (options.yes) log.info({ user: callerName(), function: name }, `function ${verb}d`);
    print(options.yes ? `${verb}d ${name}` : `would ${verb} ${name}`);
  }
  if (!options.yes) print("nothing was done; add --yes to do it");
}

function notPaused(pausedInBullmq: boolean): string {
  return pausedInBullmq
    ? "is paused in BullMQ, not by Capstan; call resume() of its queue there"
    : "is not paused";
}
