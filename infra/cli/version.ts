import { Command } from "commander";
import { packageVersion } from "../config.ts";

export function versionCommand(): Command {
  return new Command("version")
    .description("Print the versions of Capstan and Node.js")
    .option("-o, --output <format>", "text or json", "text")
    .action(({ output }: { output: string }) => {
      const versions = { capstan: packageVersion(), node: process.version };
      console.log(
        output === "json"
          ? JSON.stringify(versions)
          : `capstan ${versions.capstan}, Node.js ${versions.node}`,
      );
    });
}
