import { Command } from "commander";
import { dlqDropCommand } from "./dlq-drop.ts";
import { dlqExportCommand } from "./dlq-export.ts";
import { dlqGroupsCommand } from "./dlq-groups.ts";
import { dlqListCommand } from "./dlq-list.ts";
import { dlqReplayCommand } from "./dlq-replay.ts";
import { dlqShowCommand } from "./dlq-show.ts";
import { dlqTryCommand } from "./dlq-try.ts";

export function dlqCommand(): Command {
  return new Command("dlq")
    .description("Dead letters: keys that have used up their attempts, with everything their last run read")
    .addCommand(dlqListCommand())
    .addCommand(dlqGroupsCommand())
    .addCommand(dlqShowCommand())
    .addCommand(dlqReplayCommand())
    .addCommand(dlqTryCommand())
    .addCommand(dlqDropCommand())
    .addCommand(dlqExportCommand());
}
