import type { Command } from "commander";
import type {
  DeadLetter,
  DeadLetterHead,
  LetterRead,
  LetterWrite,
} from "../../../shared/runtime/letters/dead-letter.ts";
import { whyWithoutRun } from "../../../shared/runtime/letters/replay.ts";
import { describeQuestion } from "../../../shared/runtime/letters/replay-reader.ts";
import { writePrivateFile } from "../../platform/private-file.ts";
import { bold } from "../../platform/terminal/paint.ts";
import { print, printJson, printSource } from "../../platform/terminal/print.ts";
import { ageOf } from "../../platform/terminal/table.ts";
import {
  addSourceOptions,
  type LetterSource,
  letterNamed,
  openSource,
  type SourceOptions,
} from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { showProgress } from "../terminal/progress.ts";

export function dlqShowCommand(command: Command): Command {
  command
    .argument("<function>")
    .argument("<key>", "the key, or its end such as default/demo-pool")
    .addOption(outputOption("text", "json"));
  return addSourceOptions(command).action(
    async (name: string, key: string, options: SourceOptions & { readonly output: string }) => {
      await using source = await openSource(options);
      const letter = await letterNamed(source, name, key);
      if (options.output === "json") printJson(letter);
      else print(...describeLetter(letter, source.clock.now()));
    },
  );
}

/** Prints a dead letter for people, one fact per line. */
function describeLetter(letter: DeadLetter, now: Date): readonly string[] {
  const { build, run, causes, attempts, truncated } = letter;
  const sections = [
    section(`${letter.function}  ${letter.key}`, [
      `dead for ${ageOf(letter.deadSince, now)} (${letter.deadSince}), ${letter.reason}, ${times(letter.times)}`,
      `first failure ${letter.firstFailureAt}, class ${letter.class}`,
      `Capstan ${build.version}${build.gitSha === undefined ? "" : ` at ${build.gitSha.slice(0, 12)}`}`,
    ]),
    section(
      "Attempts",
      attempts.map(
        ({ start, durationMs, failures, error, run: id }) =>
          `${start}  #${failures}  ${durationMs} ms  ${id === undefined ? "" : `run ${id}  `}${error.class} ${error.reason}: ${error.message}`,
      ),
    ),
    section(
      "Causes",
      causes.map(({ what, resourceVersion = "" }) => `${what} ${resourceVersion}`.trim()),
    ),
    section("Stack", attempts.at(-1)?.error.stack?.split("\n").slice(0, 12) ?? []),
    section("Reads", run?.reads.map(describeRead) ?? [whyWithoutRun(letter)]),
    section("Writes", run?.writes.map(describeWrite) ?? []),
    section("Left out: too large", truncated),
  ];
  return sections.flat().slice(1);
}

/** Returns the section behind an empty line. */
function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", bold(title), ...lines.map((line) => `  ${line}`)];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function describeRead({ question, source, answer, found }: LetterRead): string {
  const versions = found.map(({ name, resourceVersion }) => `${name}@${resourceVersion ?? "?"}`);
  const shown = versions.length > 5 ? [...versions.slice(0, 5), `… ${versions.length} in all`] : versions;
  const reported = answer.type === "error" ? answer.error.message : shown.join(" ") || "nothing";
  return `${describeQuestion(question)} (${source}) → ${reported}`;
}

function describeWrite({ verb, ref, subresource, outcome }: LetterWrite): string {
  const target = `${ref.kind.kind}${subresource === undefined ? "" : `/${subresource}`}`;
  const ended = outcome.error?.message ?? `resourceVersion ${outcome.resourceVersion ?? "none"}`;
  return `${verb} ${target} ${ref.namespace}/${ref.name} → ${ended}`;
}

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
