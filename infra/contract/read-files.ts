import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { InputProblem } from "./finding.ts";

/** Bounds of one PATH: the files below it together. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 10_000;
const MAX_DEPTH = 20;

/** The text of one file or of standard input. */
export interface TextFile {
  /** As it was named, or joined to the folder that was; `<stdin>`. */
  readonly file: string;
  readonly text: string;
}

/** Everything below the paths that were named. */
export interface ReadFiles {
  readonly files: readonly TextFile[];
  /** Folders with a `metadata.yaml`: releases, whose files are not among `files`. */
  readonly releases: readonly string[];
  readonly problems: readonly InputProblem[];
}

interface Walk {
  readonly files: TextFile[];
  readonly releases: string[];
  readonly problems: InputProblem[];
  bytesLeft: number;
  filesLeft: number;
}

/** Reads one file, every YAML and JSON file of a folder, or standard input for `-`. Problems are returned, not thrown. */
export async function readFiles(path: string): Promise<ReadFiles> {
  const walk: Walk = { files: [], releases: [], problems: [], bytesLeft: MAX_BYTES, filesLeft: MAX_FILES };
  try {
    if (path === "-") await readStandardInput(walk);
    else await readPath(walk, path, await stat(path));
  } catch (error) {
    walk.problems.push(problemOf(path, error));
  }
  return walk;
}

async function readPath(walk: Walk, path: string, stats: Stats): Promise<void> {
  if (stats.isDirectory()) await readFolder(walk, path, 0);
  else if (stats.isFile()) await readOne(walk, path, stats.size);
  else throw new Error("is neither a file nor a folder; name a YAML or JSON file");
}

async function readFolder(walk: Walk, folder: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new TooMuch(`has folders more than ${MAX_DEPTH} levels deep; name one below`);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name).toSorted();
  if (names.includes("metadata.yaml")) {
    walk.releases.push(folder);
    return;
  }
  for (const name of names) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(folder, name);
    const entry = entries.find((one) => one.name === name);
    if (entry?.isDirectory() === true) await readListed(walk, path, () => readFolder(walk, path, depth + 1));
    else if (/\.(?:ya?ml|json)$/.test(name)) await readListed(walk, path, () => readFileOf(walk, path));
  }
}

/** A bad file or folder in a folder leaves the others to be judged. */
async function readListed(walk: Walk, path: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof TooMuch) throw error;
    walk.problems.push(problemOf(path, error));
  }
}

async function readFileOf(walk: Walk, path: string): Promise<void> {
  const stats = await stat(path);
  if (stats.isFile()) await readOne(walk, path, stats.size);
}

async function readOne(walk: Walk, path: string, sizeBytes: number): Promise<void> {
  take(walk, sizeBytes);
  const bytes = await readFile(path);
  // It may have grown since.
  if (bytes.byteLength > sizeBytes) take(walk, bytes.byteLength - sizeBytes);
  addText(walk, path, bytes);
}

async function readStandardInput(walk: Walk): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) {
    take(walk, Buffer.byteLength(chunk));
    chunks.push(Buffer.from(chunk));
  }
  addText(walk, STANDARD_INPUT, Buffer.concat(chunks));
}

export const STANDARD_INPUT = "<stdin>";

/** Ends the walk of one PATH. */
class TooMuch extends Error {}

class NotText extends Error {
  readonly line: number;
  constructor(line: number) {
    super("is not a text in UTF-8; name a YAML or JSON file");
    this.line = line;
  }
}

function take(walk: Walk, bytes: number): void {
  walk.bytesLeft -= bytes;
  walk.filesLeft -= 1;
  if (walk.bytesLeft < 0)
    throw new TooMuch(`is larger than ${MAX_BYTES / 1024 / 1024} MB; name a part of it`);
  if (walk.filesLeft < 0) throw new TooMuch(`has more than ${MAX_FILES} files; name a part of it`);
}

function addText(walk: Walk, file: string, bytes: Buffer): void {
  const text = decode(bytes);
  if (text.trim() === "")
    walk.problems.push({ file, line: 1, message: "is empty; name a file with objects" });
  else walk.files.push({ file, text });
}

/** Throws for bytes that are not UTF-8 and for control characters that no YAML may have. */
function decode(bytes: Buffer): string {
  const zero = bytes.indexOf(0);
  if (zero >= 0) throw new NotText(lineAt(bytes, zero));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NotText(1);
  }
}

function lineAt(bytes: Buffer, end: number): number {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < end; at = bytes.indexOf(0x0a, at + 1)) line += 1;
  return line;
}

const CAUSES: { readonly [code: string]: string } = {
  ENOENT: "does not exist; check the path",
  EACCES: "cannot be read: permission denied; grant this user read access",
  EISDIR: "is a folder; name a file",
  ELOOP: "is a link to itself; name a file",
};

function problemOf(file: string, error: unknown): InputProblem {
  if (!(error instanceof Error)) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const line = error instanceof NotText ? error.line : undefined;
  return { file, line, message: CAUSES[code] ?? error.message };
}
