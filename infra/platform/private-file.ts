import { randomBytes } from "node:crypto";
import { chmodSync, constants, lstatSync, mkdirSync, readdirSync, type Stats } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** The mode of a file for its owner only. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Replaces a file by one with secrets or object data: a new file with mode 0600, renamed when it is complete,
 * so that neither the mode of an old file nor a symbolic link counts. Devices and pipes are written to.
 */
export async function writePrivateFile(file: string, text: string | AsyncIterable<string>): Promise<void> {
  const path = resolve(file);
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  if (await isStream(path)) {
    await writeFile(path, text);
    return;
  }
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(temporary, text, { mode: PRIVATE_FILE, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether it is like `/dev/stdout`, a named pipe. */
async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Appends to a file, created with mode 0600; a file that others may read gets that mode. Throws when it is a symbolic
 * link, or when others own it or may write to it.
 */
export async function appendPrivateFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  await using handle = await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE_FILE);
  const found = await handle.stat();
  requireOwn(file, found);
  if (mayOthersRead(found)) await handle.chmod(PRIVATE_FILE);
  await handle.writeFile(text);
}

/** Returns the text of such a file. Throws as `appendPrivateFile` does, and when it does not exist. */
export async function readPrivateFile(file: string): Promise<string> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const found = await handle.stat();
  requireOwn(file, found);
  if (mayOthersRead(found)) await handle.chmod(PRIVATE_FILE);
  return await handle.readFile("utf8");
}

function mayOthersRead({ mode }: Stats): boolean {
  return (mode & OTHERS) !== 0;
}

/** Throws when another user owns the file or others may change it: its content cannot be trusted. */
export function requireOwn(path: string, { uid, mode }: Stats): void {
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) {
    throw new Error(`${path} belongs to user ${uid}, who can change and read it; name one of your own`);
  }
  if (own !== undefined && (mode & OTHERS_MAY_WRITE) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw new Error(`${path} can be changed by other users (mode ${shown}); run chmod go-w on it first`);
  }
}

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
