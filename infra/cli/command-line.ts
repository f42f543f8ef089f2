import { Command } from "commander";
import { packageVersion } from "../platform/package-version.ts";
import { printError } from "../platform/terminal/print.ts";
import { addCommands, withHelpLast } from "./commands.ts";

// As `head` does, the reader of a pipe may leave: 128 and the number of SIGPIPE, as for every program.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(141);
  });

const program = new Command("capstan")
  .description("Cluster API's core controllers as serverless, event-driven functions on a queue")
  .version(packageVersion(), "--version")
  // Options belong to the command in front of them: a command and its subcommand may have options of one name.
  .enablePositionalOptions();

addCommands(program);
hintAtHelp(program);

/** A command that is called with wrong arguments names --help. */
function hintAtHelp(command: Command, path = command.name()): void {
  command.showHelpAfterError(`See ${path} --help.`);
  command.configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) });
  for (const each of command.commands) hintAtHelp(each, `${path} ${each.name()}`);
}

try {
  await program.parseAsync(withHelpLast(process.argv.slice(2)), { from: "user" });
} catch (error) {
  // The message names the problem and the next step; the stack helps only with bugs.
  const { messageOf } = await import("../../shared/function/errors.ts");
  const message = messageOf(error);
  printError(message);
  if (error instanceof Error && message.startsWith("bug:")) printError(error.stack ?? "");
  process.exitCode = 1;
}
