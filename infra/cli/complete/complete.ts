import type { Command } from "commander";
import { printSource } from "../../platform/terminal/print.ts";
import { namesFor } from "./names-for.ts";

/** The time limit for people; tests and slow machines give more. */
const WITHIN_MS = 300;
const MAX_NAMES = 500;
/** Shells expand some of what they are offered: no name with another character is. */
const SAFE = /^[A-Za-z0-9._/@+-]+$/;

interface CompleteOptions {
  readonly within: string;
}

/** Completes names for the scripts of `capstan completion`; not for people, so `--help` does not show it. */
export function completeCommand(command: Command): Command {
  return command
    .option("--within <ms>", "print nothing later than this", String(WITHIN_MS))
    .argument("[words...]", "words behind capstan, the last is being typed")
    .action(async (words: readonly string[], { within }: CompleteOptions) => {
      const limitMs = Number(within) > 0 ? Number(within) : WITHIN_MS;
      // Since the start of the process: a person waits for that, too.
      const timer = setTimeout(() => process.exit(0), Math.max(0, limitMs - performance.now()));
      const names = await namesFor(words).catch(() => []);
      clearTimeout(timer);
      const typed = words.at(-1) ?? "";
      const offered = names.filter((name) => name.startsWith(typed) && SAFE.test(name)).slice(0, MAX_NAMES);
      if (performance.now() <= limitMs) printSource(offered.map((name) => `${name}\n`).join(""));
    });
}
