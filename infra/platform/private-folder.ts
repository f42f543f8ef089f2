import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { mayOthersRead, PRIVATE_FILE, PRIVATE_FOLDER, requireOwn } from "./private-file.ts";

/**
 * Opens a folder for objects, Secrets among them; a missing one is created with mode 0700. Its files become readable by
 * their owner only. Throws when it or anything in it is a symbolic link, or is owned or can be changed by others.
 */
export function openPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const found = lstatSync(folder);
  if (!found.isDirectory())
    throw new Error(`${folder} is not a folder itself; name the folder, not a link to it`);
  requireOwn(folder, found);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) {
      throw new Error(
        `${path} is a symbolic link, which may lead anywhere; remove it or name another folder`,
      );
    }
    requireOwn(path, entry);
    if (entry.isFile() && mayOthersRead(entry)) chmodSync(path, PRIVATE_FILE);
  }
}
