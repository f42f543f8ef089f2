import { readFileSync } from "node:fs";

/** Reads the version in package.json, for `capstan version` and the User-Agent. Loads nothing: commands begin here. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof version !== "string") throw new Error("bug: package.json has no version");
  return version;
}
