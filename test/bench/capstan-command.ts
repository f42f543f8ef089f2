import { readFile } from "node:fs/promises";

/** Arguments that `npm run capstan` gives to node. */
export interface CapstanCommand {
  /** Of Node.js: limits of memory. */
  readonly flags: readonly string[];
  /** From the root of the checkout. */
  readonly main: string;
}

export async function capstanCommand(): Promise<CapstanCommand> {
  const { scripts } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const words = String(scripts.capstan).split(" ").slice(1);
  return { flags: words.slice(0, -1), main: words.at(-1) ?? "" };
}
