import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Texts that a license wants beside the code. */
const LICENSE = /^(?:licen[cs]e|notice|copying|copyright)/i;

/**
 * Writes a record of each npm package that one of `modules` is from to `<folder>/node_modules/<package>`: name,
 * version and license in `package.json`, by which scanners find packages in images, and its license texts.
 */
export async function writePackageRecords(
  modules: readonly string[],
  root: string,
  folder: string,
): Promise<void> {
  const packages = new Set(modules.flatMap((file) => packageOf(file) ?? []));
  await Promise.all([...packages].map((place) => writeRecord(join(root, place), join(folder, place))));
}

/** Returns the path of the innermost package of a file, from `node_modules/`; undefined for a file of none. */
function packageOf(file: string): string | undefined {
  return /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

async function writeRecord(from: string, to: string): Promise<void> {
  const { name, version, license } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
  await mkdir(to, { recursive: true });
  await writeFile(join(to, "package.json"), `${JSON.stringify({ name, version, license }, undefined, 2)}\n`);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile() && LICENSE.test(entry.name)) {
      await copyFile(join(from, entry.name), join(to, entry.name));
    }
  }
}
