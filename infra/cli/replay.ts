import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { type DeadLetter, parseDeadLetter } from "../../shared/runtime/dead-letter.ts";
import { type ReplayResult, replay } from "../../shared/runtime/replay.ts";
import { loadFunctions } from "../worker/load.ts";
import { testFileOf } from "./replay-as-test.ts";
import { sideBySide } from "./side-by-side.ts";
import { bold, paint } from "./table.ts";

export interface ReplayOptions {
  readonly functionsDir?: string;
  readonly asTest?: string | true;
  readonly output: string;
}

/** For scripts: 0, 1 and 2. */
const EXIT_CODES = { reproduced: 0, different: 1, "not replayable": 2 } as const;
/** A dead letter has at most 1 MiB; indented it may have four times as much. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export function replayCommand(): Command {
  const command = new Command("replay")
    .description("Run a failed step again on what a dead letter recorded, without queue and API server")
    .argument("<file>", "written by capstan dlq export FUNCTION KEY")
    .addHelpText("after", "\nExit codes: 0 reproduced, 1 different, 2 not replayable, or no dead letter");
  return addReplayOptions(command).action(async (file: string, options: ReplayOptions) => {
    try {
      await replayLetter(await readLetter(file), options);
    } catch (error) {
      // Not 1: that means that the step decides differently.
      console.error(`capstan: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = EXIT_CODES["not replayable"];
    }
  });
}

export function addReplayOptions(command: Command): Command {
  return command
    .option("--functions-dir <folder>", "replay with the functions of this folder, for example of a fix")
    .option("--as-test [file]", "write a test with the recorded reads instead (default: to standard output)")
    .option("-o, --output <format>", "text or json", "text");
}

/** Throws with what is wrong with the file and what to do. */
async function readLetter(file: string): Promise<DeadLetter> {
  const { size } = await stat(file).catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}`);
  });
  if (size > MAX_FILE_BYTES) {
    throw new Error(`${file} is too large for a dead letter; write one with capstan dlq export FUNCTION KEY`);
  }
  const text = await readFile(file, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const lines = text.split("\n").filter((line) => line !== "").length;
    const several = lines > 1 && text.startsWith('{"v":');
    throw new Error(
      several
        ? `${file} holds ${lines} dead letters; export one with capstan dlq export FUNCTION KEY`
        : `${file} is no JSON: ${String((error as Error).message).slice(0, 200)}; write it with capstan dlq export FUNCTION KEY`,
    );
  }
  try {
    return parseDeadLetter(value);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

/** Replays a letter, prints what came of it and sets the exit code; with `asTest` writes a test instead. */
export async function replayLetter(letter: DeadLetter, options: ReplayOptions): Promise<void> {
  if (options.asTest !== undefined) return writeTest(letter, options.asTest);
  const [fn] = await loadFunctions([letter.function], options.functionsDir);
  if (fn === undefined) throw new Error(`there is no function ${letter.function}`);
  const result = await replay(fn, letter);
  process.exitCode = EXIT_CODES[result.type];
  if (options.output === "json") console.log(JSON.stringify(result, undefined, 2));
  else console.log(describe(letter, result));
}

async function writeTest(letter: DeadLetter, file: string | true): Promise<void> {
  if (file === true) {
    process.stdout.write(testFileOf(letter, `test/functions/${letter.function.split("-", 1)[0]}/x.test.ts`));
    return;
  }
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFile(file, testFileOf(letter, file));
  console.log(`wrote ${file}; change what it expects to what the function should decide`);
}

function describe(letter: DeadLetter, result: ReplayResult): string {
  const title = `${letter.function}  ${letter.key}`;
  if (result.type === "not replayable") {
    return `${bold(title)}\n${paint("yellow", "not replayable")}: ${result.why}`;
  }
  const { recorded, replayed } = result;
  const verdict =
    result.type === "reproduced"
      ? `${paint("green", "reproduced")}: ${recorded.digest}`
      : `${paint("red", "different")}: ${recorded.digest} then, ${replayed.digest} now`;
  return [bold(title), verdict, "", sideBySide(recorded, replayed, process.stdout.columns)].join("\n");
}
