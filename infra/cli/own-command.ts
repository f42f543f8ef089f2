import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns how a person of this machine starts this command line, from any folder: in a clone nothing is on the PATH. */
export function ownCommand(): string {
  const clone = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
  if (!existsSync(`${clone}/infra/cli/capstan.js`)) return "capstan";
  const quoted = /^[\w./-]+$/.test(clone) ? clone : `'${clone.replaceAll("'", "'\\''")}'`;
  return `npx --silent --prefix ${quoted} capstan`;
}
