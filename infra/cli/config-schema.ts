import { Argument, Command } from "commander";
import { printJson } from "../platform/terminal/print.ts";
import { configSchema } from "./config-file.ts";

/** Processes that take `--config`. */
const PARTS = {
  relay: async () => (await import("./parts.ts")).relayCommand,
  worker: async () => (await import("./parts.ts")).workerCommand,
  manager: async () => (await import("./manager.ts")).managerCommand,
  lambda: async () => (await import("./lambda/lambda.ts")).lambdaCommand,
  up: async () => (await import("./up/up.ts")).upCommand,
};
type Part = keyof typeof PARTS;

export function configSchemaCommand(command: Command): Command {
  return command
    .addArgument(new Argument("<command>", "the process that reads the file").choices(Object.keys(PARTS)))
    .addHelpText("after", "\nExample:\n  capstan config-schema worker > worker.schema.json")
    .action(async (part: Part) => {
      const declare = await PARTS[part]();
      printJson(configSchema(declare(new Command(part))));
    });
}
