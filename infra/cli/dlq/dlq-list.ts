import type { Command } from "commander";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { KeyRow, QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { ageOf, tableLines } from "../../platform/terminal/table.ts";
import { deadKeys } from "../../queue/dead-keys.ts";
import { allHeads } from "../../queue/letters/all-heads.ts";
import { knownDeaths } from "../../queue/letters/known-deaths.ts";
import { groupLetters, type LetterGroup } from "../../queue/letters/letter-groups.ts";
import { type LetterState, letterStateOf } from "../../queue/letters/letter-state.ts";
import { loadFunctions } from "../../worker/load.ts";
import { addSourceOptions, openSource, type SourceOptions } from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { addWatchOption, type Shown, watchRows } from "../watch-rows.ts";

interface ListOptions extends SourceOptions {
  readonly output: string;
  readonly watch: boolean;
}

interface LetterRow {
  readonly function: string;
  readonly key: string;
  /** `unknown`: the queue cannot be asked. */
  readonly state: LetterState | "unknown";
  readonly reason: string;
  readonly error: string;
  readonly deadSince: string;
  readonly times: number;
  /** Whether there is a letter; false: the ledger knows a dead key whose letter is gone or was never written. */
  readonly recorded: boolean;
}

/** The rows of a command that lists letters. */
interface Listed<R> extends Pick<Shown<R>, "idOf" | "text"> {
  read(...asked: Parameters<typeof rowsOf>): Promise<readonly R[]>;
  table(rows: readonly R[], now: Date): readonly string[];
}

/** Lists the letters of all functions or of one, once or as they change. */
function listing<R>(command: Command, { read, table, idOf, text }: Listed<R>): Command {
  command.argument("[function]", "only those of one function").addOption(outputOption("table", "json"));
  return addWatchOption(addSourceOptions(command)).action(
    async (name: string | undefined, options: ListOptions) => {
      await using source = await openSource(options);
      const { deadLetters, queue, where, clock } = source;
      await watchRows(options, {
        clock,
        look: async () => read(await allHeads(deadLetters, { function: name }), queue, name),
        idOf,
        draw: (rows) => (rows.length === 0 ? [`no dead letters ${where}`] : table(rows, clock.now())),
        text,
      });
    },
  );
}

export function dlqListCommand(command: Command): Command {
  return listing(command, {
    read: rowsOf,
    table: tableOf,
    idOf: (row) => `${row.function} ${row.key}`,
    text: (row) => `${row.function}  ${row.key}  ${row.state}  ${row.times}×  ${errorOf(row)}`,
  });
}

function errorOf({ recorded, error }: LetterRow): string {
  return `${recorded ? "" : "(no record) "}${error}`.replaceAll("\n", " ").slice(0, 100);
}

async function rowsOf(
  heads: readonly DeadLetterHead[],
  queue: QueueReader | undefined,
  name: string | undefined,
): Promise<readonly LetterRow[]> {
  const dead = queue === undefined ? undefined : await deadOf(queue, heads, name);
  const deadByFunction = new Map(
    [...(dead ?? [])].map(([functionName, keys]) => [functionName, new Set(keys.map(letterKeyOf))]),
  );
  const withLetter = Map.groupBy(heads, (head) => head.function);
  const stateOf = async (head: DeadLetterHead): Promise<LetterRow["state"]> => {
    if (queue === undefined) return letterStateOf(head, undefined) === "dead" ? "dead" : "unknown";
    if (deadByFunction.get(head.function)?.has(head.key) === true) return "dead";
    return letterStateOf(head, await queue.keyState(head.function, head.key));
  };
  const recorded = await Promise.all(
    heads.map(
      async (head): Promise<LetterRow> => ({
        function: head.function,
        key: head.key,
        state: await stateOf(head),
        reason: head.reason,
        error: `${head.error.reason}: ${head.error.message}`,
        deadSince: head.deadSince,
        times: head.times,
        recorded: true,
      }),
    ),
  );
  const unrecorded = [...(dead ?? [])].flatMap(([functionName, keys]) => {
    const known = new Set(withLetter.get(functionName)?.map(({ key }) => key));
    return keys
      .filter((each) => !known.has(letterKeyOf(each)))
      .map(({ key, since, failure }) => ({
        function: functionName,
        key: letterKeyOf({ key }),
        state: "dead" as const,
        reason: failure?.reason ?? "",
        error: failure?.message ?? "",
        deadSince: since?.toISOString() ?? "",
        times: 1,
        recorded: false,
      }));
  });
  return [...recorded, ...unrecorded];
}

/** A letter keeps at most so much of a key. */
function letterKeyOf({ key }: Pick<KeyRow, "key">): string {
  return key.slice(0, 480);
}

async function deadOf(
  queue: QueueReader,
  heads: readonly DeadLetterHead[],
  name: string | undefined,
): Promise<ReadonlyMap<string, readonly KeyRow[]>> {
  const names =
    name === undefined
      ? [...(await loadFunctions()).map(({ spec }) => spec.name), ...heads.map((head) => head.function)]
      : [name];
  const asked = [...new Set(names)].map(async (each) => [each, await deadKeys(queue, each)] as const);
  return new Map(await Promise.all(asked));
}

function tableOf(rows: readonly LetterRow[], now: Date): readonly string[] {
  return tableLines(
    ["FUNCTION", "KEY", "STATE", "REASON", "DEAD FOR", "TIMES", "ERROR"],
    rows.map((row) => [
      row.function,
      row.key,
      row.state,
      row.reason,
      ageOf(row.deadSince, now),
      String(row.times),
      errorOf(row),
    ]),
  );
}

const EXAMPLES = `
Examples:
  capstan dlq groups
  capstan dlq groups machine-node -o json

Letters of one function with one error are one group, whatever their objects are called. DEAD counts the keys that are
still dead: a letter stays for 14 days, also when its key was requeued. capstan dlq try says how each would end now.`;

export function dlqGroupsCommand(command: Command): Command {
  return listing(command.addHelpText("after", EXAMPLES), {
    read: async (heads, queue) =>
      (await groupLetters(queue === undefined ? heads : await knownDeaths(heads, queue))).items,
    table: groupTable,
    idOf: ({ id }) => id,
    text: (group) => `${group.function}  ${group.count}×  ${deadText(group)} dead  ${errorStart(group)}`,
  });
}

function groupTable(groups: readonly LetterGroup[], now: Date): readonly string[] {
  return tableLines(
    ["KEYS", "DEAD", "FUNCTION", "REASON", "NEWEST", "OLDEST", "ERROR"],
    groups.map((group) => [
      String(group.count),
      deadText(group),
      group.function,
      group.reason,
      ageOf(group.newest, now),
      ageOf(group.oldest, now),
      errorStart(group),
    ]),
  );
}

/** A queue in the memory of another process cannot be asked. */
function deadText({ dead }: LetterGroup): string {
  return dead === undefined ? "?" : String(dead);
}

function errorStart({ error }: LetterGroup): string {
  return error.slice(0, MAX_ERROR_CHARS);
}
const MAX_ERROR_CHARS = 160;
