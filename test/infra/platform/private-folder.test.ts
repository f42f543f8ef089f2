import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPrivateFolder } from "../../../infra/platform/private-folder.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";

let dir = "";
let data = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "capstan-data-"));
  data = join(dir, "data");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe("the folder of an API server's objects", () => {
  it("is made for its owner only, and so are its files", async () => {
    openPrivateFolder(data);
    expect(await modeOf(data)).toBe(0o700);
    await writeFile(join(data, "journal-0.jsonl"), "");
    await chmod(join(data, "journal-0.jsonl"), 0o644);
    openPrivateFolder(data);
    expect(await modeOf(join(data, "journal-0.jsonl"))).toBe(0o600);
  });

  it.each([
    ["a folder that others may write to", () => chmod(data, 0o777), /data can be changed by other users/],
    [
      "a file that others may write to",
      () => writeFile(join(data, "lock"), "1 2").then(() => chmod(join(data, "lock"), 0o666)),
      /lock can be changed by other users \(mode 666\); run chmod go-w/,
    ],
    [
      "a file that is a symbolic link",
      () => symlink("/etc/hostname", join(data, "journal-0.jsonl")),
      /journal-0.jsonl is a symbolic link/,
    ],
    [
      "a folder that is a symbolic link",
      () => rm(data, { recursive: true }).then(() => symlink(dir, data)),
      /data is not a folder itself; name the folder/,
    ],
  ])("is refused when it is %s", async (_, spoil, message) => {
    await mkdir(data, { mode: 0o700 });
    await spoil();
    await expect(startApiServer({ name: "a", data })).rejects.toThrow(message);
  });

  // Only root can give a file to another user.
  it.runIf(process.getuid?.() === 0)("is refused when others own it or a file in it", async () => {
    await mkdir(data, { mode: 0o700 });
    await writeFile(join(data, "snapshot.jsonl"), "");
    await chown(join(data, "snapshot.jsonl"), 4_242, 4_242);
    expect(() => openPrivateFolder(data)).toThrow(/snapshot.jsonl belongs to user 4242/);
    await chown(data, 4_242, 4_242);
    expect(() => openPrivateFolder(data)).toThrow(/data belongs to user 4242/);
  });
});
