import { randomInt } from "node:crypto";
import { styleText } from "node:util";
import { escaped } from "./escape.ts";

const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
export type Style = (typeof STYLES)[number];

/**
 * Styles travel inside a text as marks that only this process knows, so that `shown` can distinguish its own
 * colours from colours in foreign text. A mark is three private characters: two secret ones, then the style.
 */
const FIRST_PRIVATE = 0xf_0000;
const SECRET = [randomPrivate(), randomPrivate()].join("");
const END = markOf(STYLES.length);
const MARK = new RegExp(`${SECRET}(.)`, "su");
const EVERY_MARK = new RegExp(MARK, "gsu");

function randomPrivate(): string {
  return String.fromCodePoint(FIRST_PRIVATE + randomInt(0xff00));
}

function markOf(index: number): string {
  return `${SECRET}${String.fromCodePoint(FIRST_PRIVATE + index)}`;
}

/** The text with a style, which a terminal shows once the line went through `shown`. Styles may be nested. */
export function paint(style: Style, text: string): string {
  return hasColours() ? `${markOf(STYLES.indexOf(style))}${text}${END}` : text;
}

export function bold(text: string): string {
  return paint("bold", text);
}

/** The text without its styles, faint: nothing of it looks as if it were known now. */
export function faded(text: string): string {
  return paint("dim", text.replaceAll(EVERY_MARK, ""));
}

/** Whether there are colours: on a terminal only; respects NO_COLOR. */
function hasColours(): boolean {
  return styleText("bold", "x", { stream: process.stdout }) !== "x";
}

const RESET = "\u001b[0m";
const CODES: { readonly [style in Style]: string } = {
  bold: "\u001b[1m",
  dim: "\u001b[2m",
  red: "\u001b[31m",
  green: "\u001b[32m",
  yellow: "\u001b[33m",
  cyan: "\u001b[36m",
};

/**
 * Returns one line for the terminal: characters that it does not show as themselves are escaped, marks become
 * colours. With `columns` the line is cut to that width, so that it cannot become two lines.
 */
export function shown(line: string, columns = Number.POSITIVE_INFINITY): string {
  const cut = widthOf(line) > columns;
  const open: Style[] = [];
  let room = cut ? columns - 1 : columns;
  let out = "";
  // Texts and styles alternate, a text first.
  for (const [index, part] of line.split(MARK).entries()) {
    if (index % 2 === 1) {
      out += switched(open, part);
      continue;
    }
    const text = fittingIn(escaped(part), room);
    room -= widthOf(text);
    out += text;
  }
  return `${out}${cut ? "…" : ""}`;
}

/** The codes for the next style, or for the end of the innermost one. */
function switched(open: Style[], mark: string): string {
  const style = STYLES[(mark.codePointAt(0) ?? 0) - FIRST_PRIVATE];
  if (style === undefined) open.pop();
  else open.push(style);
  return style === undefined ? [RESET, ...open.map((one) => CODES[one])].join("") : CODES[style];
}

/** The start of an escaped text that is at most so wide. */
function fittingIn(text: string, columns: number): string {
  let [width, end] = [0, 0];
  for (const char of text) {
    width += columnsOf(char);
    if (width > columns) return text.slice(0, end);
    end += char.length;
  }
  return text;
}

/** Returns the columns that a line takes at most on the terminal: no character is wider than counted. */
export function widthOf(line: string): number {
  let width = 0;
  for (const char of escaped(line.replaceAll(EVERY_MARK, ""))) width += columnsOf(char);
  return width;
}

/** Pads the text with blanks to a width. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** The first character (Hangul) that may be two columns wide; counting too much only cuts a line a little early. */
const FIRST_WIDE = 0x11_00;
/** Punctuation, arrows, lines of trees. */
const NARROW = /[\u2000-\u203f\u2190-\u21ff\u2500-\u259f]/u;
function columnsOf(char: string): number {
  return (char.codePointAt(0) ?? 0) < FIRST_WIDE || NARROW.test(char) ? 1 : 2;
}
