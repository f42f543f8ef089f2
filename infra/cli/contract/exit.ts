import type { Command } from "commander";

/** Its subcommands end in the same way. */
export function contractCommand(command: Command): Command {
  return command.exitOverride(exitAsWronglyCalled);
}

/** Ends a command that is called wrongly with 2, because 1 says that a contract is broken. Help ends with 0. */
export function exitAsWronglyCalled({ exitCode }: { readonly exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : 2);
}
