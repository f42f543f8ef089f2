import type { Command } from "commander";
import { judgeBack } from "../../operate/takeover/findings.ts";
import { back } from "../../operate/takeover/sequence.ts";
import { addHandOver } from "./hand-over-command.ts";

export function backCommand(command: Command): Command {
  return addHandOver(command, {
    judge: judgeBack,
    run: back,
    // How it started says how it returns.
    scopeFrom: (scope, { core }) => ({ ...scope, parkLease: core?.lease?.parked === true }),
  });
}
