import { maskText } from "../../../shared/redaction/redact.ts";
import { escapedLines } from "./escape.ts";
import { shown } from "./paint.ts";

/**
 * The only way from a command to standard output (biome refuses console here): each argument is one line, whatever it
 * contains.
 */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${shown(line)}\n`).join(""));
}

/** Valid JSON in which also those characters are escaped that JSON allows and a terminal obeys. */
export function printJson(value: unknown, indent: number | undefined = 2): void {
  process.stdout.write(`${escapedLines(JSON.stringify(value, undefined, indent))}\n`);
}

/** Source code and JSON lines: newlines are meant, everything else is escaped as in a string literal. */
export function printSource(text: string): void {
  process.stdout.write(escapedLines(text));
}

/**
 * To standard error, behind the name of the program, without credentials. A message of several lines keeps them,
 * indented: none of them can pass for a message of its own.
 */
export function printError(message: string): void {
  const [first = "", ...more] = maskText(message).trimEnd().split("\n");
  const lines = [`capstan: ${first}`, ...more.map((line) => `  ${line}`)];
  process.stderr.write(lines.map((line) => `${shown(line)}\n`).join(""));
}
