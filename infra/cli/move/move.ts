import { Command } from "commander";
import { planCommand } from "./plan.ts";

/** Moving itself is the work of clusterctl; Capstan says beforehand what it will do. */
export function moveCommand(): Command {
  return new Command("move")
    .description("Say what clusterctl move will do with the Clusters of a namespace")
    .addCommand(planCommand());
}
