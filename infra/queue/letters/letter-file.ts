import { open, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import * as z from "zod";
import { deadLetterHeadSchema } from "../../../shared/runtime/letters/dead-letter.ts";
import { once } from "../../../shared/runtime/once.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import { appendPrivateFile, writePrivateFile } from "../../platform/private-file.ts";
import { createLetterMap, type LetterMap } from "./letter-map.ts";

const lineSchema = once(() =>
  z.union([
    z.object({ at: z.number(), head: deadLetterHeadSchema(), letter: z.string() }),
    z.object({ at: z.number(), dropped: z.object({ function: z.string(), key: z.string() }) }),
  ]),
);
type Line = z.infer<ReturnType<typeof lineSchema>>;

/** Out-of-date lines that the file may hold beyond twice the number of letters. */
const SLACK_LINES = 1_000;

/**
 * A file with a line per death or drop and what it says in memory. Every call brings the memory up to date with what
 * other processes have written. One call at a time.
 */
export class LetterFile {
  readonly #file: string;
  readonly #log: Log;
  #letters = createLetterMap();
  #read = { inode: 0, bytes: 0, lines: 0, corrupt: 0 };
  #writable = true;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Lines that are not a record. */
  get corruptLines(): number {
    return this.#read.corrupt;
  }

  async letters(): Promise<LetterMap> {
    const seen = await stat(this.#file).catch(() => undefined);
    if (seen === undefined) return this.#letters;
    if (seen.ino !== this.#read.inode || seen.size < this.#read.bytes) {
      this.#letters = createLetterMap();
      this.#read = { inode: seen.ino, bytes: 0, lines: 0, corrupt: 0 };
    }
    if (seen.size > this.#read.bytes) {
      this.#read.bytes += await readLines(this.#file, this.#read.bytes, (line) => this.#apply(line));
    }
    return this.#letters;
  }

  /** A file that cannot be written is said once; the memory has the change. */
  async append(...lines: readonly Line[]): Promise<void> {
    try {
      await appendPrivateFile(this.#file, lines.map(lineText).join(""));
      this.#writable = true;
    } catch (error) {
      const { message } = error as Error;
      if (this.#writable) this.#log.warn({ file: this.#file, error: message }, "dead letters stay in memory");
      this.#writable = false;
    }
  }

  /** Rewrites the file when most of it is out of date. */
  async compact(): Promise<void> {
    const letters = await this.letters();
    if (this.#read.lines <= 2 * letters.size() + SLACK_LINES) return;
    const kept = letters.all().map(({ at, head, letter }) => lineText({ at, head, letter }));
    await writePrivateFile(this.#file, kept.join(""));
  }

  #apply(text: string): void {
    const line = parsedLine(text);
    this.#read.lines += 1;
    if (line === undefined) this.#read.corrupt += 1;
    else if ("dropped" in line) this.#letters.delete(line.dropped);
    else this.#letters.set(line);
  }
}

/** JSON does not escape two characters that count as line breaks elsewhere, also for who reads this file. */
function lineText(line: Line): string {
  return `${JSON.stringify(line).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

function parsedLine(text: string): Line | undefined {
  try {
    return lineSchema().safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Reads whole lines from a byte on; returns how many bytes they are. A line being written is left for later. */
async function readLines(file: string, from: number, onLine: (line: string) => void): Promise<number> {
  await using handle = await open(file, "r");
  const { size } = await handle.stat();
  const input = handle.createReadStream({ start: from, end: size - 1, autoClose: false });
  let bytes = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const length = Buffer.byteLength(line) + 1;
    if (from + bytes + length > size) break;
    onLine(line);
    bytes += length;
  }
  return bytes;
}
