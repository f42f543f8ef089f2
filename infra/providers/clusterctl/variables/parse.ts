/** The text cannot be substituted. `at` is a place in the text; `message` never quotes a value. */
export class SubstitutionError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "SubstitutionError";
    this.at = at;
  }
}

/** A `${…}` with its operator. */
export interface Use {
  readonly name: string;
  /** `:=`, `#`, `//`, …; empty for a bare variable, `length` for `${#NAME}`. */
  readonly operator: string;
  readonly args: readonly Part[];
  /** Place of its `${`, in UTF-16 units. */
  readonly at: number;
}

export type Part = string | Use;

/** `${…}` within each other. The real parser has no bound and ends with its stack. */
const MAX_DEPTH = 100;
const OPEN = "${";
const NAME = /[\p{L}\p{Nd}_]+/uy;
const DEFAULT = /=|:[=?+-]/y;
const CASING = /[,^]{1,2}/y;
const REMOVING = /##?|%%?/y;
const REPLACING = /\/[/#%]?/y;

/** Which characters stand for the next one: `$$` everywhere in text, `\/` and `\\` in replacements only. */
type Escapes = "none" | "dollar" | "all";

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

/**
 * Returns the parts of a text: literal text, with `$$` read as `$`, and variables. Linear in its length; no place of
 * the text is read again. Throws SubstitutionError with the words of clusterctl at the `${` that does not parse.
 * Source: PC-8, github.com/drone/envsubst at 2021-07-30.
 */
export function parseTemplate(text: string): readonly Part[] {
  const nul = text.indexOf("\0");
  if (nul >= 0) throw new SubstitutionError("NUL byte: clusterctl drops the text behind it; remove it", nul);
  const reader: Reader = { text, at: 0, depth: 0 };
  const parts: Part[] = [];
  while (reader.at < text.length) {
    parts.push(text.startsWith(OPEN, reader.at) ? readUse(reader) : readText(reader, "", "dollar"));
  }
  return parts;
}

function readUse(reader: Reader): Use {
  const { at } = reader;
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) {
    throw new SubstitutionError(`more than ${MAX_DEPTH} variables within each other; use fewer`, at);
  }
  reader.at += OPEN.length;
  const use = reader.text[reader.at] === "#" ? readLength(reader, at) : readNamed(reader, at);
  reader.depth -= 1;
  return use;
}

function readLength(reader: Reader, at: number): Use {
  reader.at += 1;
  const name = take(reader, NAME);
  if (name === "") throw bad(at);
  close(reader, at);
  return { name, operator: "length", args: [], at };
}

function readNamed(reader: Reader, at: number): Use {
  const name = take(reader, NAME);
  if (name === "") throw new SubstitutionError("unable to parse variable name", at);
  const next = reader.text[reader.at] ?? "";
  const default_ = take(reader, DEFAULT);
  if (default_ !== "") return { name, operator: default_, args: readDefault(reader, at), at };
  const casing = take(reader, CASING);
  if (casing !== "") return closed(reader, { name, operator: casing, args: [], at });
  const removing = take(reader, REMOVING);
  if (removing !== "") return readRemoval(reader, { name, operator: removing, at });
  const replacing = take(reader, REPLACING);
  if (replacing !== "") return readReplacement(reader, { name, operator: replacing, at });
  if (next === ":") return readSubstring(reader, name, at);
  if (next !== "}") throw new SubstitutionError("missing closing brace", at);
  reader.at += 1;
  return { name, operator: "", args: [], at };
}

/** The only argument that mixes text and variables. */
function readDefault(reader: Reader, at: number): readonly Part[] {
  const args: Part[] = [];
  while (reader.text[reader.at] !== "}") args.push(readArgument(reader, { ends: "}", escapes: "none", at }));
  reader.at += 1;
  return args;
}

function readRemoval(reader: Reader, use: Omit<Use, "args">): Use {
  const pattern = readArgument(reader, { ends: "}", escapes: "none", at: use.at });
  return closed(reader, { ...use, args: [pattern] });
}

/** The pattern ends at a slash only, so it runs over a `}`; several slashes behind it count as one. */
function readReplacement(reader: Reader, use: Omit<Use, "args">): Use {
  const { at } = use;
  const pattern = readArgument(reader, { ends: "/", escapes: "all", at });
  if (take(reader, /\/+/y) === "") throw bad(at);
  if (reader.text[reader.at] === "}") return closed(reader, { ...use, args: [pattern] });
  const replacement = readArgument(reader, { ends: "}", escapes: "all", at });
  return closed(reader, { ...use, args: [pattern, replacement] });
}

function readSubstring(reader: Reader, name: string, at: number): Use {
  reader.at += 1;
  // Its scanner steps back by the width of this character instead of that of the colon.
  if (!(reader.text.charCodeAt(reader.at) <= 0x7f)) throw bad(at);
  const offset = readArgument(reader, { ends: ":}", escapes: "none", at });
  const use = { name, operator: ":", at };
  if (reader.text[reader.at] === "}") return closed(reader, { ...use, args: [offset] });
  if (take(reader, /:+/y) === "") throw bad(at);
  const length = readArgument(reader, { ends: "}", escapes: "none", at });
  return closed(reader, { ...use, args: [offset, length] });
}

interface Argument {
  /** Characters that end a text. */
  readonly ends: string;
  readonly escapes: Escapes;
  readonly at: number;
}

/** One variable, or one text that is not empty. */
function readArgument(reader: Reader, { ends, escapes, at }: Argument): Part {
  if (reader.text.startsWith(OPEN, reader.at)) return readUse(reader);
  const text = readText(reader, ends, escapes);
  if (text === "") throw new SubstitutionError("unable to parse substitution within function", at);
  return text;
}

/** Reads up to one of `ends`, a `${` or the end. */
function readText(reader: Reader, ends: string, escapes: Escapes): string {
  const { text } = reader;
  const pieces: string[] = [];
  let from = reader.at;
  let at = from;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === "$" && text[at + 1] === "{") break;
    if (isEscape(char, text[at + 1], escapes)) {
      pieces.push(text.slice(from, at));
      at += 1;
      from = at;
    } else if (ends.includes(char)) break;
  }
  reader.at = at;
  pieces.push(text.slice(from, at));
  return pieces.join("");
}

function isEscape(char: string, next: string | undefined, escapes: Escapes): boolean {
  if (escapes === "none") return false;
  if (char === "$") return next === "$";
  return escapes === "all" && char === "\\" && (next === "/" || next === "\\");
}

function closed(reader: Reader, use: Use): Use {
  close(reader, use.at);
  return use;
}

function close(reader: Reader, at: number): void {
  if (reader.text[reader.at] !== "}") throw bad(at);
  reader.at += 1;
}

function bad(at: number): SubstitutionError {
  return new SubstitutionError("bad substitution", at);
}

/** Takes what a sticky pattern matches here; empty where it does not. */
function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [found = ""] = pattern.exec(reader.text) ?? [];
  reader.at += found.length;
  return found;
}
