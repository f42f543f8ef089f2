import type { Command } from "commander";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import { openReplayApart } from "../../operate/replay/replay-apart.ts";
import { type Tried, tryLetters, VERDICTS, type Verdict } from "../../operate/replay/verdict.ts";
import { print, printJson } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { groupIdOf, groupLetters, type LetterGroup } from "../../queue/letters/letter-groups.ts";
import {
  addSourceOptions,
  type LetterSource,
  openSource,
  type SourceOptions,
  someOf,
} from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { showProgress } from "../terminal/progress.ts";

interface TryOptions extends SourceOptions {
  readonly functionsDir?: string;
  readonly output: string;
}

/** How many letters would end how. */
type Verdicts = Readonly<Record<Verdict, number>>;

/** Form of `-o json`. */
interface Trial {
  readonly verdicts: Verdicts;
  readonly items: readonly Tried[];
}

const EXAMPLES = `
Exit codes:
  0  every letter would succeed
  1  some would not, or cannot be judged offline

Examples:
  capstan dlq try
  capstan dlq try machine-node --functions-dir ../fix/functions
  capstan dlq try machine-node -o json

Each letter is replayed on the reads that it holds, for at most 2 s and in 256 MiB. Nothing is sent and nothing is
requeued: capstan dlq replay FUNCTION --requeue --all --yes puts the keys back.`;

export function dlqTryCommand(command: Command): Command {
  command
    .argument("[function]", "only the letters of one function")
    .option("--functions-dir <folder>", "try the functions of this folder, for example of a fix")
    .addOption(outputOption("table", "json"))
    .addHelpText("after", EXAMPLES);
  return addSourceOptions(command).action(async (name: string | undefined, options: TryOptions) => {
    await using source = await openSource(options);
    const heads = await source.deadLetters.list(name);
    const trial = await tryAll(source, heads, options);
    process.exitCode = trial.verdicts.succeeds === trial.items.length ? 0 : 1;
    if (options.output === "json") printJson(trial);
    else if (heads.length === 0) print(`no dead letters ${source.where}`);
    else print(...(await linesOf(trial, heads)));
  });
}

async function tryAll(
  { deadLetters, clock }: LetterSource,
  heads: readonly DeadLetterHead[],
  { functionsDir }: TryOptions,
): Promise<Trial> {
  using progress = showProgress("trying letters", heads.length);
  using apart = openReplayApart(clock, functionsDir);
  const items: Tried[] = [];
  for await (const tried of tryLetters(deadLetters.read(heads), apart)) {
    items.push(tried);
    progress.advance();
  }
  return { verdicts: countVerdicts(items), items };
}

function countVerdicts(items: readonly Tried[]): Verdicts {
  const count = (verdict: Verdict) => items.filter((one) => one.verdict === verdict).length;
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])) as Verdicts;
}

/** A row per cause, the sum in words, and the first letters that would not succeed. */
async function linesOf(
  { items, verdicts }: Trial,
  heads: readonly DeadLetterHead[],
): Promise<readonly string[]> {
  const { items: groups } = await groupLetters(heads);
  const ids = new Map(heads.map((head) => [`${head.function} ${head.key}`, groupIdOf(head)]));
  const inGroup = Map.groupBy(items, (one) => ids.get(`${one.function} ${one.key}`) ?? "");
  const failing = items.filter(({ verdict }) => verdict !== "succeeds");
  return [
    ...tableLines(
      ["FUNCTION", "SUCCEED", "FAIL", "DIFFER", "UNKNOWN", "ERROR"],
      groups.map((group) => rowOf(group, countVerdicts(inGroup.get(group.id) ?? []))),
    ),
    "",
    textOfVerdicts(verdicts),
    ...someOf(
      failing.map(({ function: name, key, verdict, why = "" }) => `${name} ${key} ${WORDS[verdict]}: ${why}`),
      (line) => line,
    ),
  ];
}

function rowOf({ function: name, error }: LetterGroup, verdicts: Verdicts): readonly string[] {
  return [name, ...VERDICTS.map((verdict) => String(verdicts[verdict])), error.slice(0, 100)];
}

const WORDS: Readonly<Record<Verdict, string>> = {
  succeeds: "would succeed",
  "fails-as-before": "fails as before",
  differs: "fails otherwise",
  unknown: "cannot be judged offline",
};

/** Returns `3,988 would succeed, 12 fails as before`. */
function textOfVerdicts(verdicts: Verdicts): string {
  const parts = VERDICTS.flatMap((verdict) => {
    const count = verdicts[verdict];
    return count === 0 ? [] : [`${count.toLocaleString("en-US")} ${textFor(verdict, count)}`];
  });
  return parts.join(", ");
}

function textFor(verdict: Verdict, count: number): string {
  return count === 1 ? WORDS[verdict] : WORDS[verdict].replace("fails", "fail");
}
