import { maskText } from "../../../shared/redaction/redact.ts";
import { escapedLines } from "./escape.ts";
import { shown } from "./paint.ts";

/**
 * Prints each argument as one line, with every other character escaped. It is the only way from a command to
 * standard output (biome refuses console here).
 */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${shown(line)}\n`).join(""));
}

/** Prints valid JSON; characters that JSON allows but a terminal obeys are escaped. */
export function printJson(value: unknown, indent: number | undefined = 2): void {
  process.stdout.write(`${escapedLines(JSON.stringify(value, undefined, indent))}\n`);
}

/** Prints source code or JSON lines: newlines stay, other control characters are escaped as in a string literal. */
export function printSource(text: string): void {
  process.stdout.write(escapedLines(text));
}

/**
 * Prints to standard error, behind the name of the program, without credentials. The lines of a longer
 * message are indented, so that none of them looks like a separate message.
 */
export function printError(message: string): void {
  const [first = "", ...more] = maskText(message).trimEnd().split("\n");
  const lines = [`capstan: ${first}`, ...more.map((line) => `  ${line}`)];
  process.stderr.write(lines.map((line) => `${shown(line)}\n`).join(""));
}
