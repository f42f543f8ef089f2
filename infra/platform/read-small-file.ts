import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: "the file is missing",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
};

/**
 * Returns the text of a file of at most `maxBytes`: a certificate, a URL. Throws with its name and the problem, never
 * with its content.
 */
export function readSmallFile(file: string, maxBytes: number): string {
  const buffer = Buffer.alloc(maxBytes + 1);
  const length = read(file, buffer);
  if (length > maxBytes) throw new Error(`${file}: it is larger than ${maxBytes} bytes`);
  return buffer.toString("utf8", 0, length);
}

function read(file: string, buffer: Buffer): number {
  let opened: number | undefined;
  try {
    // A named pipe without a writer would block the process.
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(opened).isFile()) throw new Error("it is not a file");
    let length = 0;
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = readSync(opened, buffer, length, buffer.length - length, length);
    }
    return length;
  } catch (error) {
    throw new Error(`${file}: ${fileProblem(error)}`);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Returns why a file could not be read, in words that follow its name. */
export function fileProblem(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return PROBLEMS[code] ?? message;
}
