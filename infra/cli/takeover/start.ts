import { Command } from "commander";
import { judge } from "../../operate/takeover/findings.ts";
import { start } from "../../operate/takeover/sequence.ts";
import { addHandOver } from "./hand-over-command.ts";

export function startCommand(): Command {
  const command = new Command("start").description(
    "Give Clusters of Cluster API's manager to Capstan: one after the other, or with --park-lease all at once",
  );
  return addHandOver(command, { judge, run: start, scopeFrom: (scope) => scope });
}
