import { expect } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { CliProcess } from "../support/processes/cli.ts";

/** Waits until `up --console` or `console` has printed the link with which its console is opened. */
export function consoleLink(cli: Pick<CliProcess, "output">): Promise<string> {
  return eventually(
    () => {
      const [, link = ""] = /console: (http:\S+)/.exec(cli.output()) ?? [];
      expect(link, cli.output()).not.toBe("");
      return link;
    },
    { withinMs: 60_000, stepMs: 200 },
  );
}
