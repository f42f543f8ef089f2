import { createReadStream, type Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { InputProblem } from "./finding.ts";

/** Bounds of one PATH: everything below it together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Files that are read, and folders. */
const MAX_ENTRIES = 10_000;
const MAX_DEPTH = 20;

/** The text of one file or of standard input. */
export interface TextFile {
  /** The file as it was named, or joined to the folder that was; `<stdin>`. */
  readonly file: string;
  readonly text: string;
}

/** Everything below the paths that were named. */
export interface ReadFiles {
  readonly files: readonly TextFile[];
  /** Folders with `metadata.yaml` or components: releases, whose files are not among `files`. */
  readonly releases: readonly string[];
  readonly problems: readonly InputProblem[];
}

interface Walk {
  readonly files: TextFile[];
  readonly releases: string[];
  readonly problems: InputProblem[];
  bytesLeft: number;
  entriesLeft: number;
}

/** Reads one file, every YAML and JSON file of a folder, or standard input for `-`. Problems are returned, not thrown. */
export async function readFiles(path: string): Promise<ReadFiles> {
  const walk: Walk = {
    files: [],
    releases: [],
    problems: [],
    bytesLeft: MAX_BYTES,
    entriesLeft: MAX_ENTRIES,
  };
  try {
    if (path === "-") addText(walk, STANDARD_INPUT, await bytesOf(walk, process.stdin));
    else await readPath(walk, path, await stat(path));
  } catch (error) {
    walk.problems.push(problemOf(path, error));
  }
  return walk;
}

async function readPath(walk: Walk, path: string, stats: Stats): Promise<void> {
  if (stats.isDirectory()) await readFolder(walk, path, 0);
  else if (stats.isFile()) await readOne(walk, path);
  else throw new Error("is neither a file nor a folder; name a YAML or JSON file");
}

async function readFolder(walk: Walk, folder: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new TooMuch(`has folders more than ${MAX_DEPTH} levels deep; name one below`);
  takeEntry(walk);
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some((entry) => !entry.isDirectory() && isOfRelease(entry.name))) {
    walk.releases.push(folder);
    return;
  }
  for (const entry of entries.toSorted((a, b) => compareText(a.name, b.name))) {
    const { name } = entry;
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(folder, name);
    if (entry.isDirectory()) await readListed(walk, path, () => readFolder(walk, path, depth + 1));
    else if (/\.(?:ya?ml|json)$/.test(name)) await readListed(walk, path, () => readFileOf(walk, path));
  }
}

/** Files that only a release has: its components have variables, so that they need not be YAML. */
function isOfRelease(name: string): boolean {
  return name === "metadata.yaml" || /^(?:[a-z-]+-)?components\.ya?ml$/.test(name);
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
  if (stats.isFile()) await readOne(walk, path);
}

async function readOne(walk: Walk, path: string): Promise<void> {
  takeEntry(walk);
  addText(walk, path, await bytesOf(walk, createReadStream(path)));
}

/** Reads to the end or to the bound: a file may grow, and standard input need not end. */
async function bytesOf(walk: Walk, stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    takeBytes(walk, Buffer.byteLength(chunk));
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
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

function takeBytes(walk: Walk, bytes: number): void {
  walk.bytesLeft -= bytes;
  if (walk.bytesLeft < 0)
    throw new TooMuch(`is larger than ${MAX_BYTES / 1024 / 1024} MB; name a part of it`);
}

function takeEntry(walk: Walk): void {
  walk.entriesLeft -= 1;
  if (walk.entriesLeft < 0)
    throw new TooMuch(`has more than ${MAX_ENTRIES} files and folders; name a part of it`);
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
