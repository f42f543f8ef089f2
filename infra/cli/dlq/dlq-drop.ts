import { Command } from "commander";
import { print } from "../terminal/print.ts";
import {
  addSourceOptions,
  callerName,
  type LetterSource,
  openSource,
  pickKey,
  type SourceOptions,
} from "./letter-source.ts";

interface DropOptions extends SourceOptions {
  readonly all: boolean;
  readonly yes: boolean;
}

export function dlqDropCommand(): Command {
  const command = new Command("drop")
    .description("Remove dead letters; the keys stay dead until an event, their records are gone")
    .argument("<function>")
    .argument("[keys...]", "keys, or their ends such as default/demo-pool")
    .option("--all", "every dead letter of the function", false)
    .option("--yes", "do it; without, only say what would be done", false);
  return addSourceOptions(command).action(async (name: string, wanted: string[], options: DropOptions) => {
    await using source = await openSource(options);
    const known = (await source.deadLetters.list(name)).map(({ key }) => key);
    if (wanted.length === 0 && !options.all)
      throw new Error(`name the keys to drop, or use --all; see capstan dlq list ${name}`);
    const keys = options.all ? known : wanted.map((text) => pickKey(known, text, name));
    for (const key of keys) {
      if (options.yes) await drop(source, name, key);
      else print(`would drop ${name} ${key}`);
    }
    if (keys.length === 0) print(`no dead letters of ${name} ${source.where}`);
    else if (!options.yes) print("nothing was done; add --yes to do it");
  });
}

async function drop({ deadLetters, log }: LetterSource, name: string, key: string): Promise<void> {
  if (!(await deadLetters.drop({ function: name, key }))) return;
  log.info({ user: callerName(), function: name, key }, "dead letter dropped");
  print(`dropped ${name} ${key}`);
}
