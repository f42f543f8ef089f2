import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The last commit without a format of data: the first version of every test of upgrades. */
const COMMIT = "3625f17f";

/** Sources of one version of Capstan. */
export interface Version {
  readonly main: string;
  /** Folder with the function `pool-check`, as that version loads it. */
  readonly functions: string;
}

const versionIn = (folder: string): Version => ({
  main: join(folder, "infra/cli/main.ts"),
  functions: join(folder, "test/support/poisoned"),
});

export const PRESENT: Version = versionIn(ROOT);

export function formerMissing(): string | undefined {
  const { status } = spawnSync("git", ["-C", ROOT, "cat-file", "-e", `${COMMIT}^{commit}`], {
    stdio: "ignore",
  });
  return status === 0 ? undefined : `no commit ${COMMIT}; git fetch --unshallow`;
}

/** Unpacks the former version beside the packages of this one. */
export async function unpackFormer(): Promise<Version & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-former-"));
  await promisify(execFile)("sh", ["-c", `git -C "${ROOT}" archive ${COMMIT} | tar -x -C "${folder}"`]);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    ...versionIn(folder),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
