import { crc32 } from "node:zlib";
import type { Change } from "./collection.ts";
import type { KubeObject } from "./kube-object.ts";

/** One line of a journal or snapshot, decoded. */
export interface JournalEntry {
  /** Version of the change; in a snapshot 0, because its first line says the version of everything. */
  readonly version: number;
  /** Resource type: `group/plural`. */
  readonly type: string;
  readonly deleted: boolean;
  readonly object: KubeObject;
}

const CHECKSUM_DIGITS = 8;
const NEWLINE = 10;

/** `<crc32 in hex> <JSON>\n`; the checksum finds lines that were cut off or damaged. */
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

export function readVersion(bytes: Buffer): number | undefined {
  const [first] = decodedLines(bytes);
  const version = (first?.value as { version?: unknown } | undefined)?.version;
  return typeof version === "number" ? version : undefined;
}

/** Entries as long as lines are whole; `end` is the offset behind each. */
export function* entriesIn(bytes: Buffer): Generator<{ readonly entry: JournalEntry; readonly end: number }> {
  // Written by this file, and the checksum has been checked.
  for (const { value, end } of decodedLines(bytes)) yield { entry: value as JournalEntry, end };
}

function* decodedLines(bytes: Buffer): Generator<{ readonly value: unknown; readonly end: number }> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline < 0) return;
    const checksum = bytes.toString("latin1", start, start + CHECKSUM_DIGITS);
    const json = bytes.subarray(start + CHECKSUM_DIGITS + 1, newline);
    if (crc32(json) !== Number.parseInt(checksum, 16)) return;
    start = newline + 1;
    yield { value: JSON.parse(json.toString("utf8")), end: start };
  }
}
