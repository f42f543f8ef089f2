import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  appendPrivateFile,
  openPrivateFolder,
  readPrivateFile,
  requireOwn,
  writePrivateFile,
} from "../../../infra/platform/private-file.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { testFolder } from "../../support/test-folder.ts";

let data = "";
beforeEach(async () => {
  dir = testFolder("data");
  data = join(dir, "data");
});

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

let dir = "";
beforeEach(async () => {
  dir = testFolder("private");
});

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe("a file with secrets", () => {
  it("is for its owner only, whatever was there before, and leaves nothing else behind", async () => {
    const file = join(dir, "kubeconfig");
    await writeFile(file, "old", { mode: 0o644 });
    await chmod(file, 0o666);
    const { ino } = await stat(file);
    await writePrivateFile(file, "new");
    expect(await modeOf(file)).toBe(0o600);
    // A process that has the old file open does not read the new one.
    expect((await stat(file)).ino).not.toBe(ino);
    expect(await readFile(file, "utf8")).toBe("new");
    expect(await readdir(dir)).toEqual(["kubeconfig"]);
  });

  it("does not follow a symbolic link", async () => {
    const [target, link] = [join(dir, "target"), join(dir, "link")];
    await writeFile(target, "of another user");
    await symlink(target, link);
    await writePrivateFile(link, "secret");
    expect(await readFile(target, "utf8")).toBe("of another user");
    expect(await readFile(link, "utf8")).toBe("secret");
    await rm(link);
    await symlink(target, link);
    await expect(appendPrivateFile(link, "secret")).rejects.toThrow(/ELOOP/);
    await expect(readPrivateFile(link)).rejects.toThrow(/ELOOP/);
    expect(await readFile(target, "utf8")).toBe("of another user");
  });

  it("is written in parts, and not at all when they end too early", async () => {
    const file = join(dir, "sub", "letters");
    async function* parts() {
      yield "a";
      yield "b";
    }
    await writePrivateFile(file, parts());
    expect(await readFile(file, "utf8")).toBe("ab");
    expect(await modeOf(join(dir, "sub"))).toBe(0o700);
    async function* broken() {
      yield "c";
      throw new Error("no more");
    }
    await expect(writePrivateFile(file, broken())).rejects.toThrow("no more");
    expect(await readFile(file, "utf8")).toBe("ab");
    expect(await readdir(join(dir, "sub"))).toEqual(["letters"]);
  });

  it("may be a device", async () => {
    await writePrivateFile("/dev/null", "secret");
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it("loses the mode that let others read it when it grows, and is refused while others may write to it", async () => {
    const file = join(dir, "letters");
    await writeFile(file, "a");
    await chmod(file, 0o644);
    await appendPrivateFile(file, "b");
    expect(await modeOf(file)).toBe(0o600);
    await chmod(file, 0o644);
    expect(await readPrivateFile(file)).toBe("ab");
    expect(await modeOf(file)).toBe(0o600);
    await chmod(file, 0o622);
    await expect(appendPrivateFile(file, "c")).rejects.toThrow(/mode 622\); run chmod go-w/);
    await expect(readPrivateFile(file)).rejects.toThrow(/can be changed by other users/);
  });

  it("is refused when it belongs to another user", async () => {
    const found = Object.assign(await stat(dir), { uid: 4_242, mode: 0o600 });
    expect(() => requireOwn("a", found)).toThrow(/a belongs to user 4242/);
  });
});
