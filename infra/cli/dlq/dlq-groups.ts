import { Command } from "commander";
import { allHeads } from "../../dead-letters/all-heads.ts";
import { groupLetters, type LetterGroup } from "../../dead-letters/letter-groups.ts";
import { addSourceOptions, openSource, type SourceOptions } from "../letter-source.ts";
import { outputOption } from "../options.ts";
import { ageOf, tableLines } from "../table.ts";
import { addWatchOption, watchRows } from "../watch-rows.ts";

interface GroupsOptions extends SourceOptions {
  readonly output: string;
  readonly watch: boolean;
}

const EXAMPLES = `
Examples:
  capstan dlq groups
  capstan dlq groups machine-node -o json

Letters of one function with one error are one group, whatever their objects are called. capstan dlq try says how each
would end now.`;

/** W-106. */
export function dlqGroupsCommand(): Command {
  const command = new Command("groups")
    .description("List dead letters by function and error, those with the most keys first")
    .argument("[function]", "only those of one function")
    .addOption(outputOption("table", "json"))
    .addHelpText("after", EXAMPLES);
  return addWatchOption(addSourceOptions(command)).action(
    async (name: string | undefined, options: GroupsOptions) => {
      await using source = await openSource(options);
      const { deadLetters, where, clock } = source;
      await watchRows(options, {
        clock,
        look: async () => (await groupLetters(await allHeads(deadLetters, { function: name }))).items,
        idOf: ({ id }) => id,
        draw: (groups) => (groups.length === 0 ? [`no dead letters ${where}`] : tableOf(groups, clock.now())),
        text: (group) => `${group.function}  ${group.count}×  ${errorOf(group)}`,
      });
    },
  );
}

function tableOf(groups: readonly LetterGroup[], now: Date): readonly string[] {
  return tableLines(
    ["KEYS", "FUNCTION", "REASON", "NEWEST", "OLDEST", "ERROR"],
    groups.map((group) => [
      String(group.count),
      group.function,
      group.reason,
      ageOf(group.newest, now),
      ageOf(group.oldest, now),
      errorOf(group),
    ]),
  );
}

function errorOf({ error }: LetterGroup): string {
  return error.slice(0, MAX_CHARS);
}
const MAX_CHARS = 160;
