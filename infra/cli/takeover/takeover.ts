import { Command } from "commander";
import { backCommand } from "./back.ts";
import { planCommand } from "./plan.ts";
import { retireCommand } from "./retire.ts";
import { startCommand } from "./start.ts";

export function takeoverCommand(): Command {
  return new Command("takeover")
    .description("Take Clusters over from Cluster API's manager, and give them back")
    .addCommand(planCommand())
    .addCommand(startCommand())
    .addCommand(backCommand())
    .addCommand(retireCommand());
}
