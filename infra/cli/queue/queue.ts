import type { Command } from "commander";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { loadFunctions } from "../../worker/load.ts";
import { openSource, QUIET } from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { addQueueOptions, sharedQueue } from "../queue-options.ts";
import { addWatchOption, watchRows } from "../watch-rows.ts";
import { changeText, type QueueRow, tableOf, tenantsTable } from "./queue-table.ts";

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
  await watchRows(options, {
    clock: source.clock,
    look: () => Promise.all(names.map((name) => rowOf(queue, name, options.output !== "table"))),
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
