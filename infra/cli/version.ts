import type { Command } from "commander";
import { packageVersion } from "../platform/package-version.ts";
import { print, printJson } from "../platform/terminal/print.ts";

export function versionCommand(command: Command): Command {
  return command
    .option("-o, --output <format>", "text or json", "text")
    .action(({ output }: { output: string }) => {
      const versions = { capstan: packageVersion(), node: process.version };
      if (output === "json") printJson(versions, 0);
      else print(`capstan ${versions.capstan}, Node.js ${versions.node}`);
    });
}
