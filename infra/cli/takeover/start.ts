import type { Command } from "commander";
import { judge } from "../../operate/takeover/findings.ts";
import { start } from "../../operate/takeover/sequence.ts";
import { addHandOver } from "./hand-over-command.ts";

export function startCommand(command: Command): Command {
  return addHandOver(command, { judge, run: start, scopeFrom: (scope) => scope });
}
