import type { Command } from "commander";
import { print } from "../../platform/terminal/print.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { loadFunctions } from "../../worker/load.ts";
import { callerName } from "../caller-name.ts";
import { openSource, QUIET } from "../letter-source.ts";
import { addQueueOptions, sharedQueue } from "../queue-options.ts";

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
