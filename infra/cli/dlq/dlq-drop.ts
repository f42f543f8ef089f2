import type { Command } from "commander";
import { print } from "../../platform/terminal/print.ts";
import { callerName } from "../caller-name.ts";
import {
  addSourceOptions,
  type LetterSource,
  openSource,
  pickKey,
  type SourceOptions,
  someOf,
} from "../letter-source.ts";
import { showProgress } from "../terminal/progress.ts";

interface DropOptions extends SourceOptions {
  readonly all: boolean;
  readonly yes: boolean;
}

/** Keys of one call, and of one line of the audit log: it keeps which user did what. */
const DROPPED_AT_ONCE = 500;

export function dlqDropCommand(command: Command): Command {
  command
    .argument("<function>")
    .argument("[keys...]", "keys, or their ends such as default/demo-pool")
    .option("--all", "every dead letter of the function", false)
    .option("--yes", "do it; without --yes, only print what would be done", false);
  return addSourceOptions(command).action(async (name: string, wanted: string[], options: DropOptions) => {
    await using source = await openSource(options);
    const known = (await source.deadLetters.list(name)).map(({ key }) => key);
    if (wanted.length === 0 && !options.all)
      throw new Error(`name the keys to drop, or use --all; see capstan dlq list ${name}`);
    const keys = options.all ? known : wanted.map((text) => pickKey(known, text, name));
    if (options.yes) await drop(source, name, keys);
    else print(...someOf(keys, (key) => `would drop ${name} ${key}`));
    if (keys.length === 0) print(`no dead letters of ${name} ${source.where}`);
    else if (!options.yes) print("nothing was done; add --yes to do it");
  });
}

async function drop(
  { deadLetters, log }: LetterSource,
  name: string,
  keys: readonly string[],
): Promise<void> {
  using progress = showProgress(`dropping letters of ${name}`, keys.length);
  const dropped: string[] = [];
  for (let start = 0; start < keys.length; start += DROPPED_AT_ONCE) {
    const part = keys.slice(start, start + DROPPED_AT_ONCE);
    if ((await deadLetters.drop(name, part)) === 0) continue;
    dropped.push(...part);
    progress.clear();
    log.info({ user: callerName(), function: name, keys: part }, "dead letters dropped");
    progress.advance(part.length);
  }
  progress.clear();
  print(...someOf(dropped, (key) => `dropped ${name} ${key}`));
}
