import type { Command } from "commander";
import { ageOf, tableLines } from "../../platform/terminal/table.ts";
import { allHeads } from "../../queue/letters/all-heads.ts";
import { knownDeaths } from "../../queue/letters/known-deaths.ts";
import { groupLetters, type LetterGroup } from "../../queue/letters/letter-groups.ts";
import { addSourceOptions, openSource, type SourceOptions } from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { addWatchOption, watchRows } from "../watch-rows.ts";

interface GroupsOptions extends SourceOptions {
  readonly output: string;
  readonly watch: boolean;
}

const EXAMPLES = `
Examples:
  capstan dlq groups
  capstan dlq groups machine-node -o json

Letters of one function with one error are one group, whatever their objects are called. DEAD counts the keys that are
still dead: a letter stays for 14 days, also when its key was requeued. capstan dlq try says how each would end now.`;

export function dlqGroupsCommand(command: Command): Command {
  command
    .argument("[function]", "only those of one function")
    .addOption(outputOption("table", "json"))
    .addHelpText("after", EXAMPLES);
  return addWatchOption(addSourceOptions(command)).action(
    async (name: string | undefined, options: GroupsOptions) => {
      await using source = await openSource(options);
      const { deadLetters, queue, where, clock } = source;
      await watchRows(options, {
        clock,
        look: async () => {
          const heads = await allHeads(deadLetters, { function: name });
          return (await groupLetters(queue === undefined ? heads : await knownDeaths(heads, queue))).items;
        },
        idOf: ({ id }) => id,
        draw: (groups) => (groups.length === 0 ? [`no dead letters ${where}`] : tableOf(groups, clock.now())),
        text: (group) => `${group.function}  ${group.count}×  ${deadOf(group)} dead  ${errorOf(group)}`,
      });
    },
  );
}

function tableOf(groups: readonly LetterGroup[], now: Date): readonly string[] {
  return tableLines(
    ["KEYS", "DEAD", "FUNCTION", "REASON", "NEWEST", "OLDEST", "ERROR"],
    groups.map((group) => [
      String(group.count),
      deadOf(group),
      group.function,
      group.reason,
      ageOf(group.newest, now),
      ageOf(group.oldest, now),
      errorOf(group),
    ]),
  );
}

/** A queue in the memory of another process cannot be asked. */
function deadOf({ dead }: LetterGroup): string {
  return dead === undefined ? "?" : String(dead);
}

function errorOf({ error }: LetterGroup): string {
  return error.slice(0, MAX_CHARS);
}
const MAX_CHARS = 160;
