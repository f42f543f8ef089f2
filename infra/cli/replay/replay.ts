import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { type DeadLetter, parseDeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import { type Decided, type ReplayResult, replay } from "../../../shared/runtime/letters/replay.ts";
import { align, linesOfDecision, type Row } from "../../operate/replay/align-decisions.ts";
import { systemClock } from "../../platform/clock.ts";
import { writePrivateFile } from "../../platform/private-file.ts";
import { escaped } from "../../platform/terminal/escape.ts";
import { bold, padded, paint } from "../../platform/terminal/paint.ts";
import { print, printError, printJson, printSource } from "../../platform/terminal/print.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { functionFiles, loadFunctions } from "../../worker/load.ts";
import { outputOption } from "../options.ts";
import { testFileOf } from "./replay-as-test.ts";
import type { LiveResult } from "./replay-live.ts";

export interface ReplayOptions {
  readonly functionsDir?: string;
  readonly asTest?: string | true;
  readonly live: boolean;
  readonly kubeconfig?: string;
  readonly output: string;
}

/** The exit codes for scripts: 0, 1 and 2. */
const EXIT_CODES = { reproduced: 0, different: 1, "not replayable": 2 } as const;

const EXIT_HELP = `
Exit codes:
  0  reproduced: the same decision     with --live: the run would succeed
  1  different: another decision       with --live: it would fail, or the server refuses a request
  2  not replayable, or no dead letter, with the reason`;

/** A dead letter has at most 1 MiB; indented it may have four times as much. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

const MAX_SHOWN_LINES = 2_000;

export function replayCommand(command: Command): Command {
  command.argument("<file>", "written by capstan dlq export FUNCTION KEY");
  return addReplayOptions(command).action((file: string, options: ReplayOptions) =>
    replayLetter(readLetter(file), options),
  );
}

export function addReplayOptions(command: Command): Command {
  return command
    .addHelpText("after", EXIT_HELP)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_CODES["not replayable"]))
    .option("--functions-dir <folder>", "replay with the functions of this folder, for example of a fix")
    .option("--as-test [file]", "write a test with the recorded reads instead (default: to standard output)")
    .addOption(
      new Option("--live", "run on the current objects of the management cluster; its writes are a dry run")
        .default(false)
        .conflicts("asTest"),
    )
    .option(
      "--kubeconfig <file>",
      "with --live: management cluster (default: KUBECONFIG, in-cluster files, ~/.kube/config)",
    )
    .addOption(outputOption("text", "json"));
}

/** Throws with the problem of the file and the next step. */
async function readLetter(file: string): Promise<DeadLetter> {
  const { size } = await stat(file).catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}; write it with capstan dlq export FUNCTION KEY`);
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
        : `${file} is not JSON: ${String((error as Error).message).slice(0, 200)}; write it with capstan dlq export FUNCTION KEY`,
    );
  }
  try {
    return parseDeadLetter(value);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

/** Replays a letter, prints the result and sets the exit code; with `asTest` writes a test instead. */
export async function replayLetter(found: Promise<DeadLetter>, options: ReplayOptions): Promise<void> {
  try {
    await replayFound(await found, options);
  } catch (error) {
    // Not 1: that means that the step decides differently.
    printError(messageOf(error));
    process.exitCode = EXIT_CODES["not replayable"];
  }
}

async function replayFound(letter: DeadLetter, options: ReplayOptions): Promise<void> {
  if (options.asTest !== undefined) return writeTest(letter, options.asTest, options);
  const [fn] = await loadFunctions([letter.function], options.functionsDir).catch((error: Error) => {
    throw new Error(`${error.message}; name the folder of the function with --functions-dir`);
  });
  if (fn === undefined) throw new Error(`bug: ${letter.function} was not loaded`);
  if (options.live) {
    const { replayLive } = await import("./replay-live.ts");
    printLive(letter, await replayLive(fn, letter, options.kubeconfig), options);
    return;
  }
  const result = await replay(fn, letter, systemClock);
  process.exitCode = EXIT_CODES[result.type];
  if (options.output === "json") printJson(result);
  else print(...describe(letter, result));
}

function printLive(letter: DeadLetter, live: LiveResult, { output }: ReplayOptions): void {
  process.exitCode = live.ok ? 0 : 1;
  if (output === "json") printJson(live);
  else print(...describeLive(letter, live));
}

async function writeTest(
  letter: DeadLetter,
  asTest: string | true,
  { functionsDir }: ReplayOptions,
): Promise<void> {
  const [kind = "", ...step] = letter.function.split("-");
  const folder = functionsDir === undefined ? "functions" : resolve(functionsDir);
  const found = (await functionFiles(functionsDir)).get(letter.function);
  const source = found ?? `${folder}/${kind}/${step.join("-")}.ts`;
  const file = asTest === true ? `test/functions/${kind}/x.test.ts` : asTest;
  const text = testFileOf(letter, file, source);
  if (asTest === true) {
    printSource(text);
    return;
  }
  await writePrivateFile(file, text);
  print(`wrote ${file}; change what it expects to what the function should decide`);
}

function describe(letter: DeadLetter, result: ReplayResult): readonly string[] {
  const title = `${letter.function}  ${letter.key}`;
  if (result.type === "not replayable") {
    return [bold(title), `${paint("yellow", "not replayable")}: ${result.why}`];
  }
  const { recorded, replayed } = result;
  const verdict =
    result.type === "reproduced"
      ? `${paint("green", "reproduced")}: ${recorded.digest}`
      : `${paint("red", "different")}: ${recorded.digest} then, ${replayed.digest} now`;
  return [bold(title), verdict, "", ...sideBySide(recorded, replayed, process.stdout.columns)];
}

/**
 * Prints the decision then and now next to each other, changed lines marked. `columns` is the width of the terminal.
 */
export function sideBySide(then: Decided, now: Decided, columns = 160): readonly string[] {
  const width = Math.max(30, Math.floor((columns - 3) / 2));
  const rows = align(linesOf(then, width), linesOf(now, width));
  const shown = rows.slice(0, MAX_SHOWN_LINES).map((row) => lineOf(row, width));
  const rest = rows.length - shown.length;
  return [
    bold(`${padded("THEN", width)}   NOW`),
    ...shown,
    ...(rest > 0 ? [`… ${rest} more lines; use -o json`] : []),
  ];
}

function linesOf(decided: Decided, width: number): readonly string[] {
  return linesOfDecision(decided).flatMap((line) => wrapped(escaped(line), width));
}

/** No line is cut off: two long messages may differ at their ends. */
function wrapped(line: string, width: number): readonly string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ""}  `.slice(0, width / 2);
  const rows: string[] = [];
  let rest = line;
  while (rest.length > width) {
    rows.push(rest.slice(0, width));
    rest = `${indent}${rest.slice(width)}`;
  }
  return [...rows, rest];
}

function lineOf({ left, right }: Row, width: number): string {
  if (left === right) return `${padded(left ?? "", width)}   ${right ?? ""}`.trimEnd();
  const mark = left === undefined ? ">" : right === undefined ? "<" : "|";
  const before = paint("red", padded(left ?? "", width));
  return `${before} ${mark} ${paint("green", right ?? "")}`;
}

function describeLive(letter: DeadLetter, { server, ok, result, requests }: LiveResult): readonly string[] {
  const verdict = ok ? paint("green", "would succeed") : paint("red", "would fail");
  return [
    bold(`${letter.function}  ${letter.key}`),
    `${verdict} on ${server} (dry run: nothing was stored)`,
    "",
    ...(requests.length === 0 ? ["sends nothing"] : requests.flatMap(describeAnswered)),
    `result: ${result}`,
  ];
}

function describeAnswered({
  title,
  body,
  accepted,
  answer,
}: LiveResult["requests"][number]): readonly string[] {
  const lines = body === undefined ? [] : writeYaml(body).trimEnd().split("\n");
  const reported = accepted ? paint("green", answer) : paint("red", `refused: ${answer}`);
  return [title, ...lines.map((line) => `  ${line}`), `  → ${reported}`, ""];
}
