import { Command } from "commander";
import { judgeBack } from "../../operate/takeover/findings.ts";
import { back } from "../../operate/takeover/sequence.ts";
import { addHandOver } from "./hand-over-command.ts";

export function backCommand(): Command {
  const command = new Command("back").description(
    "Give Clusters of Capstan back to Cluster API's manager; frees its Lease where start has parked it",
  );
  return addHandOver(command, {
    judge: judgeBack,
    run: back,
    // How it started says how it returns.
    scopeFrom: (scope, { core }) => ({ ...scope, parkLease: core?.lease?.parked === true }),
  });
}
