import { existsSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { keyOf } from "../objects/kube-object.ts";
import type { Change } from "./collection.ts";
import { entriesIn, type JournalEntry, lineAt, readVersion } from "./journal-lines.ts";
import { Storage } from "./storage.ts";

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
