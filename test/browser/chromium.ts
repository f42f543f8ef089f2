import { execFileSync } from "node:child_process";
import { type Browser, chromium as driver } from "playwright-core";

/** Debian's name of the browser; `npm run setup` installs it. */
const PROGRAM = "chromium";

/** Why the tests of the page cannot run; undefined when they can. */
export const chromiumMissing =
  pathOfProgram() === undefined ? `${PROGRAM} is missing; npm run setup installs it` : undefined;

function pathOfProgram(): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${PROGRAM}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** Starts the browser without a window, with further arguments. Close it. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = pathOfProgram();
  if (executablePath === undefined) throw new Error(chromiumMissing);
  // Tests run as root in containers, where the sandbox of the browser cannot be made; the pages are our own.
  return driver.launch({
    executablePath,
    chromiumSandbox: false,
    args: ["--disable-dev-shm-usage", ...args],
  });
}
