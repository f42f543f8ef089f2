import { Command } from "commander";
import type { QueueDepth, TenantDepth } from "../../shared/runtime/queue-port.ts";
import type { QueueFlags } from "../queue/queue-source.ts";
import { loadFunctions } from "../worker/load.ts";
import { openSource, QUIET } from "./letter-source.ts";
import { outputOption } from "./options.ts";
import { addQueueOptions, sharedQueue } from "./queue-options.ts";
import { tableLines } from "./table.ts";
import { print, printJson } from "./terminal/print.ts";

interface QueueRow extends QueueDepth {
  readonly function: string;
}

interface QueueOptions extends QueueFlags {
  readonly functionsDir?: string;
  readonly output: string;
}

export function queueCommand(): Command {
  const command = new Command("queue")
    .description("Show the keys of every function: ready, waiting, running, dead")
    .argument("[patterns...]", "names or patterns such as machinepool-*");
  return addQueueOptions(
    command,
    "redis://HOST:PORT or sqs://REGION?redis=redis://HOST:PORT (default: CAPSTAN_QUEUE)",
  )
    .option("--functions-dir <folder>", "load functions from this folder instead of Capstan's own")
    .addOption(outputOption("table", "wide", "json"))
    .action(async (patterns: string[], options: QueueOptions) => {
      await using source = await openSource({}, sharedQueue(options, "queue", QUIET));
      const functions = await loadFunctions(
        patterns.length === 0 ? undefined : patterns,
        options.functionsDir,
      );
      const rows: QueueRow[] = [];
      for (const { spec } of functions) {
        const depth = await source.queue?.depth(spec.name);
        if (depth !== undefined) rows.push({ function: spec.name, ...depth });
      }
      if (options.output === "json") printJson(rows);
      else print(...tableOf(rows, options.output === "wide"));
    });
}

function tableOf(rows: readonly QueueRow[], wide: boolean): readonly string[] {
  const header = ["FUNCTION", "DEPTH", "OLDEST READY", "RUNNING", "WAITING", "DEAD", "NEXT DUE", "STATE"];
  if (!wide) return tableLines(header, rows.map(cellsOf));
  return tableLines(
    ["FUNCTION", "TENANT", "DEPTH", "RUNNING", "WAITING", "DEAD"],
    rows.flatMap((row) => [
      [row.function, "(all)", ...countsOf(row)],
      ...Object.entries(row.tenants ?? {}).map(([tenant, depth]) => ["", tenant, ...countsOf(depth)]),
    ]),
  );
}

function cellsOf(row: QueueRow): readonly string[] {
  const { oldestReadyMs = {}, nextDueMs, paused, breakerOpen } = row;
  const oldest = Math.max(oldestReadyMs.live ?? -1, oldestReadyMs.resync ?? -1);
  const [depth = "", ...counts] = countsOf(row);
  return [
    row.function,
    depth,
    row.ready === 0 || oldest < 0 ? "" : secondsOf(oldest),
    ...counts,
    nextDueMs === undefined ? "" : secondsOf(nextDueMs),
    paused === true ? "paused" : breakerOpen === true ? "breaker open" : "",
  ];
}

function countsOf({ ready, running, waiting, dead }: TenantDepth): readonly string[] {
  return [ready, running, waiting, dead].map(String);
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}
