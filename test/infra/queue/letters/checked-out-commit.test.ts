import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { checkedOutCommit } from "../../../../infra/queue/letters/checked-out-commit.ts";

const run = promisify(execFile);
const WHO = ["-c", "user.name=test", "-c", "user.email=test@example.com"];

/** A repository with one commit in a folder of its own. */
async function repository() {
  const folder = await mkdtempDisposable(join(tmpdir(), "capstan-git-"));
  const root = join(folder.path, "clone");
  const git = async (...args: string[]) => (await run("git", ["-C", root, ...WHO, ...args])).stdout.trim();
  await run("git", ["init", "-q", root]);
  await git("commit", "-q", "--allow-empty", "-m", "first");
  return { root, git, sha: await git("rev-parse", "HEAD"), [Symbol.asyncDispose]: () => folder.remove() };
}

describe("the checked out commit", () => {
  it("is that of the branch", async () => {
    await using world = await repository();
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a branch that git has packed", async () => {
    await using world = await repository();
    await world.git("pack-refs", "--all");
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a detached HEAD", async () => {
    await using world = await repository();
    await world.git("checkout", "-q", "--detach");
    expect(await checkedOutCommit(world.root)).toBe(world.sha);
  });

  it("is that of a branch in another worktree", async () => {
    await using world = await repository();
    const beside = join(world.root, "..", "beside");
    await world.git("worktree", "add", "-q", "-b", "other", beside);
    await world.git("commit", "-q", "--allow-empty", "-m", "second");
    expect(await checkedOutCommit(beside)).toBe(world.sha);
  });

  it("is unknown where git is not used", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-git-"));
    expect(await checkedOutCommit(folder.path)).toBe(undefined);
  });
});
