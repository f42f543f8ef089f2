import { existsSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { type KubeObject, keyOf } from "../objects/kube-object.ts";
import { readJson } from "../objects/strict-json.ts";
import type { Change } from "./collection.ts";
import { Storage } from "./storage.ts";

/** One line of a journal or snapshot, decoded. */
interface JournalEntry {
  /** Version of the change; in a snapshot 0, because its first line says the version of everything. */
  readonly version: number;
  /** Resource type: `group/plural`. */
  readonly type: string;
  readonly deleted: boolean;
  readonly object: KubeObject;
}

const CHECKSUM_DIGITS = 8;
const NEWLINE = 10;

/** Returns `<crc32 in hex> <JSON>\n`; the checksum finds lines that were cut off or damaged. */
function line(json: string): string {
  return `${crc32(json).toString(16).padStart(CHECKSUM_DIGITS, "0")} ${json}\n`;
}

export function changeLine(type: string, { version, type: kind, text }: Change): string {
  const deleted = kind === "DELETED";
  return line(`{"version":${version},"type":${JSON.stringify(type)},"deleted":${deleted},"object":${text}}`);
}

export function objectLine(type: string, object: KubeObject): string {
  return line(JSON.stringify({ version: 0, type, deleted: false, object } satisfies JournalEntry));
}

/** The first line of a snapshot. */
export function versionLine(version: number): string {
  return line(JSON.stringify({ version }));
}

function readVersion(bytes: Buffer): number | undefined {
  const { value: first } = decodedLines(bytes).next();
  const version = (first?.value as { version?: unknown } | undefined)?.version;
  return typeof version === "number" ? version : undefined;
}

/** A whole line; `start` and `end` are its offsets. */
interface PlacedEntry {
  readonly entry: JournalEntry;
  readonly start: number;
  readonly end: number;
}

/**
 * Entries of all whole lines. Damaged ones are passed over: `start` is then behind the end of the line before. The
 * version of an entry says whether something that was acknowledged is missing.
 */
function* entriesIn(bytes: Buffer): Generator<PlacedEntry> {
  // Written by this file, and the checksum has been checked.
  for (const { value, ...place } of decodedLines(bytes)) yield { entry: value as JournalEntry, ...place };
}

/** The number of the line that an offset is in, from 1 on. */
function lineAt(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < offset; at = bytes.indexOf(NEWLINE, at + 1))
    line += 1;
  return line;
}

interface DecodedLine {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

function* decodedLines(bytes: Buffer): Generator<DecodedLine, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline < 0) return;
    const line = decodedLine(bytes, start, newline) ?? decodedEnd(bytes, start, newline);
    if (line !== undefined) yield line;
    start = newline + 1;
  }
}

function decodedLine(bytes: Buffer, start: number, newline: number): DecodedLine | undefined {
  const checksum = bytes.toString("latin1", start, start + CHECKSUM_DIGITS);
  const json = bytes.subarray(start + CHECKSUM_DIGITS + 1, newline);
  if (!/^[0-9a-f]{8}$/.test(checksum) || crc32(json) !== Number.parseInt(checksum, 16)) return undefined;
  return { value: readJson(json.toString("utf8")), start, end: newline + 1 };
}

/**
 * A whole line behind the beginning of another one, as versions of Capstan wrote it that did not cut back a
 * failed write.
 */
function decodedEnd(bytes: Buffer, start: number, newline: number): DecodedLine | undefined {
  for (let at = newline; at > start; ) {
    at = bytes.lastIndexOf(ENTRY_START, at - 1);
    const from = at - CHECKSUM_DIGITS - 1;
    if (from <= start) return undefined;
    const line = decodedLine(bytes, from, newline);
    if (line !== undefined) return line;
  }
  return undefined;
}

const ENTRY_START = '{"version":';

export const SNAPSHOT = "snapshot.jsonl";

/** Names of the journals in a folder, oldest first: `journal-<version before its first change>.jsonl`. */
export function journalsIn(folder: string): string[] {
  const versionOf = (name: string) => Number(/^journal-(\d+)\.jsonl$/.exec(name)?.[1] ?? Number.NaN);
  return readdirSync(folder)
    .filter((name) => !Number.isNaN(versionOf(name)))
    .toSorted((a, b) => versionOf(a) - versionOf(b));
}

/**
 * Reads a folder: the snapshot, then every journal. Versions are without gaps, so what was acknowledged is never
 * missing unnoticed: damaged bytes between two changes that follow each other are what a failed write left, and are
 * passed over; damaged bytes at the end of the newest journal are a write that was not finished, and are cut off.
 * History begins at the snapshot, so watches continue after a restart. Throws for damage that took a change with it.
 */
export function loadStorage(folder: string): Storage {
  const storage = loadSnapshot(join(folder, SNAPSHOT));
  const names = journalsIn(folder);
  for (const name of names) loadJournal(storage, join(folder, name), name === names.at(-1));
  return storage;
}

function loadSnapshot(file: string): Storage {
  if (!existsSync(file)) return new Storage();
  const bytes = readFileSync(file);
  const version = readVersion(bytes);
  if (version === undefined) throw damaged(file, bytes, 0);
  const storage = new Storage(version);
  let read = 0;
  for (const { entry, start, end } of entriesIn(bytes)) {
    if (start !== read) break;
    if (read > 0) storage.restore(entry.type, entry.object);
    read = end;
  }
  if (read < bytes.length) throw damaged(file, bytes, read);
  return storage;
}

function loadJournal(storage: Storage, file: string, isNewest: boolean): void {
  const bytes = readFileSync(file);
  let read = 0;
  for (const { entry, end } of entriesIn(bytes)) {
    if (entry.version > storage.version + 1) throw damaged(file, bytes, read);
    // The snapshot may be newer than the beginning of a journal.
    if (entry.version > storage.version) storage.replay(entry.type, toChange(storage, entry));
    read = end;
  }
  // In front of a newer journal it is a write that failed: the change that follows is there.
  if (read < bytes.length && isNewest) truncateSync(file, read);
}

function toChange(storage: Storage, { version, type, deleted, object }: JournalEntry): Change {
  const key = keyOf(object.metadata);
  const previous = storage.collection(type).find(key);
  const kind = deleted ? "DELETED" : previous ? "MODIFIED" : "ADDED";
  const text = JSON.stringify(object);
  return { type: kind, version, key, object, previous, text, atMs: Date.now(), lines: new Map() };
}

function damaged(file: string, bytes: Buffer, at: number): Error {
  const folder = dirname(file);
  return new Error(
    `${file} is damaged at line ${lineAt(bytes, at)} (byte ${at}), and changes that were acknowledged are missing: restore ${folder} from a copy, or move it away to start with an empty server`,
  );
}
