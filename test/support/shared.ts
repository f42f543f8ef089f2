import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder beside the repository with specifications, published data and tools; CAPSTAN_SHARED names another place. */
export const SHARED = resolve(
  process.env["CAPSTAN_SHARED"] ?? fileURLToPath(new URL("../../../shared", import.meta.url)),
);

/** A file or folder in it, absolute: `data/core-crds`. */
export function inShared(path: string): string {
  return join(SHARED, path);
}

/** Why tests that read `path` are skipped, by name; undefined when it is there. */
export function sharedMissing(path: string): string | undefined {
  return existsSync(inShared(path))
    ? undefined
    : `${inShared(path)} does not exist; CAPSTAN_SHARED names the folder that has ${path}`;
}
