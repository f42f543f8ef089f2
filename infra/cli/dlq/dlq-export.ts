import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { print, printSource } from "../terminal/print.ts";
import { addSourceOptions, letterNamed, openSource, type SourceOptions } from "./letter-source.ts";

export function dlqExportCommand(): Command {
  const command = new Command("export")
    .description(
      "Write dead letters as JSON, for capstan replay on another machine: one, or all as JSON lines",
    )
    .argument("[function]")
    .argument("[key]", "the key, or its end such as default/demo-pool")
    .option("-f, --file <file>", "write to this file (mode 0600) instead of standard output");
  return addSourceOptions(command).action(
    async (
      name: string | undefined,
      key: string | undefined,
      options: SourceOptions & { readonly file?: string },
    ) => {
      await using source = await openSource(options);
      const lines: string[] = [];
      if (name !== undefined && key !== undefined) {
        lines.push(JSON.stringify(await letterNamed(source, name, key), undefined, 2));
      } else {
        for (const head of await source.deadLetters.list(name)) {
          const letter = await source.deadLetters.get(head);
          if (letter !== undefined) lines.push(JSON.stringify(letter));
        }
      }
      const text = lines.map((line) => `${line}\n`).join("");
      if (options.file === undefined) printSource(text);
      else {
        await writeFile(options.file, text, { mode: 0o600 });
        print(`wrote ${lines.length} dead ${lines.length === 1 ? "letter" : "letters"} to ${options.file}`);
      }
    },
  );
}
