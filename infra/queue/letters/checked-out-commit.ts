import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * Returns the commit that the working tree at `root` has checked out, as 40 hexadecimal digits; `undefined` in a
 * package or an image. Also in a worktree of git, whose `.git` is a file, and for a branch that git has packed.
 */
export async function checkedOutCommit(root: string): Promise<string | undefined> {
  const link = /^gitdir: (.+)$/m.exec(await textOf(join(root, ".git")))?.[1];
  const own = link === undefined ? join(root, ".git") : resolve(root, link);
  const head = (await textOf(join(own, "HEAD"))).trim();
  const branch = /^ref: (.+)$/.exec(head)?.[1];
  if (branch === undefined) return asCommit(head);
  const shared = resolve(own, (await textOf(join(own, "commondir"))).trim());
  return asCommit((await textOf(join(shared, branch))).trim()) ?? (await packedCommit(shared, branch));
}

async function packedCommit(folder: string, branch: string): Promise<string | undefined> {
  const lines = (await textOf(join(folder, "packed-refs"))).split("\n");
  return asCommit(lines.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0]);
}

function asCommit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40}$/.test(text) ? text : undefined;
}

/** Returns an empty text where the file does not exist or is a folder. */
function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
