import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";

/**
 * Brings a folder up to date with `wanted`, files by name; with `check` it only compares. Returns the names that were out
 * of date: missing, different, or no longer generated.
 */
export async function bringUpToDate(
  folder: URL,
  wanted: ReadonlyMap<string, string>,
  { check }: { readonly check: boolean },
): Promise<readonly string[]> {
  const differing = await differingFiles(folder, wanted);
  for (const name of check ? [] : differing) {
    const content = wanted.get(name);
    if (content === undefined) await rm(new URL(name, folder));
    else await writeFile(new URL(name, folder), content);
  }
  return differing;
}

async function differingFiles(folder: URL, wanted: ReadonlyMap<string, string>): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const differing = new Set(wanted.keys());
  for (const name of await readdir(folder)) {
    const content = await readFile(new URL(name, folder), "utf8");
    if (content === wanted.get(name)) differing.delete(name);
    else differing.add(name);
  }
  return [...differing];
}
