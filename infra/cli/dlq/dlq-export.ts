import type { Command } from "commander";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import { writePrivateFile } from "../../platform/private-file.ts";
import { print, printSource } from "../../platform/terminal/print.ts";
import {
  addSourceOptions,
  type LetterSource,
  letterNamed,
  openSource,
  type SourceOptions,
} from "../letter-source.ts";
import { showProgress } from "../terminal/progress.ts";

export function dlqExportCommand(command: Command): Command {
  command
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
      const count = { letters: 0 };
      const lines = counted(
        name !== undefined && key !== undefined
          ? oneLetter(source, name, key)
          : allLetters(source, await source.deadLetters.list(name)),
        count,
      );
      if (options.file === undefined) {
        for await (const line of lines) printSource(line);
        return;
      }
      await writePrivateFile(options.file, lines);
      print(`wrote ${count.letters} dead ${count.letters === 1 ? "letter" : "letters"} to ${options.file}`);
    },
  );
}

async function* oneLetter(source: LetterSource, name: string, key: string): AsyncIterable<string> {
  yield `${JSON.stringify(await letterNamed(source, name, key), undefined, 2)}\n`;
}

/** Writes JSON lines, with a few letters at a time in memory: all of them may be gigabytes. */
async function* allLetters(
  { deadLetters }: LetterSource,
  heads: readonly DeadLetterHead[],
): AsyncIterable<string> {
  using progress = showProgress("exporting letters", heads.length);
  for await (const letter of deadLetters.read(heads)) {
    yield `${JSON.stringify(letter)}\n`;
    progress.advance();
  }
}

async function* counted(lines: AsyncIterable<string>, count: { letters: number }): AsyncIterable<string> {
  for await (const line of lines) {
    count.letters += 1;
    yield line;
  }
}
