import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { refuseLeaks } from "../canaries.ts";
import { atEnd } from "./at-end.ts";
import { spawnChild } from "./spawn-child.ts";

export const MAIN = fileURLToPath(new URL("../../../infra/cli/main.ts", import.meta.url));

/** Not that of the user, which keeps the dead letters of tests that were killed. */
const HOME = mkdtempSync(join(tmpdir(), "capstan-home-"));
atEnd(() => rmSync(HOME, { recursive: true, force: true }));

/** A running `capstan …` of its own process. Disposing ends it with SIGTERM, after 20 s with SIGKILL, and refuses an output with a secret. */
export interface CliProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Both streams so far. */
  output(): string;
  /** Exit code; resolves when the process ends. */
  readonly ended: Promise<number | null>;
}

/** Starts the command line from the sources, as `npm run capstan -- ARGS` does. `main`: that of another version. */
export function startCli(
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
  main = MAIN,
): CliProcess {
  const child = spawnChild(process.execPath, [main, ...args], {
    env: { ...process.env, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    output: () => output,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      const impatience = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(impatience);
      refuseLeaks(`capstan ${args[0]}`, output);
    },
  };
}

/** Runs a command to its end. */
export async function runCli(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  await using cli = startCli(args);
  return { code: await cli.ended, output: cli.output() };
}
