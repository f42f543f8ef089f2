import { Command } from "commander";
import { exitAsWronglyCalled } from "./exit.ts";

/** A command loads only itself; `--help` needs all of them. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  check: async () => (await import("./check.ts")).checkCommand(),
  explain: async () => (await import("./list.ts")).explainCommand(),
  list: async () => (await import("./list.ts")).listCommand(),
  probe: async () => (await import("./probe.ts")).probeCommand(),
  render: async () => (await import("./render.ts")).renderCommand(),
};

export async function contractCommand(): Promise<Command> {
  const contract = new Command("contract")
    .description("Judge a provider by its contracts with Cluster API: CRDs, releases, objects, behaviour")
    .exitOverride(exitAsWronglyCalled);
  const own = process.argv[2] === contract.name() ? COMMANDS[process.argv[3] ?? ""] : undefined;
  const load = own === undefined ? Object.values(COMMANDS) : [own];
  for (const command of await Promise.all(load.map((one) => one()))) contract.addCommand(command);
  return contract;
}
