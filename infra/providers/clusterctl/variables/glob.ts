/** A pattern that ends within a class or behind a backslash. */
export class PatternError extends Error {}

/** Bytes, so that a pattern can cut a character as it does in clusterctl. */
type Bytes = Buffer;

/** Counts steps and throws once too many are taken. */
export type Spend = (steps: number) => void;

/** Steps of comparing one byte or character. */
const COMPARISON = 8;
const STAR = 0x2a;
const QUESTION = 0x3f;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const CARET = 0x5e;
const DASH = 0x2d;
const BACKSLASH = 0x5c;

/**
 * Whether a shell pattern (`*`, `?`, `[a-z]`, `[^a]`, backslash) matches the whole name. `*` and `?` match slashes,
 * too. Throws PatternError where the real matcher comes to a malformed part, which it does not for every name.
 * Source: path/match.go of github.com/drone/envsubst
 */
export function matchesGlob(pattern: Bytes, name: Bytes, spend: Spend): boolean {
  let rest = pattern;
  let left = name;
  while (rest.length > 0) {
    const { hasStar, chunk, after } = nextChunk(rest);
    if (hasStar && chunk.length === 0) return true;
    const isLast = after.length === 0;
    const end = findChunk({ chunk, left, hasStar, isLast }, spend);
    if (end === undefined) return false;
    left = left.subarray(end);
    rest = after;
  }
  return left.length === 0;
}

/** The part up to the next star that stands outside a class. */
function nextChunk(pattern: Bytes): { hasStar: boolean; chunk: Bytes; after: Bytes } {
  let start = 0;
  while (pattern[start] === STAR) start += 1;
  let isInClass = false;
  let end = start;
  for (; end < pattern.length; end += 1) {
    const byte = pattern[end];
    if (byte === BACKSLASH) end += end + 1 < pattern.length ? 1 : 0;
    else if (byte === OPEN) isInClass = true;
    else if (byte === CLOSE) isInClass = false;
    else if (byte === STAR && !isInClass) break;
  }
  return { hasStar: start > 0, chunk: pattern.subarray(start, end), after: pattern.subarray(end) };
}

interface Search {
  readonly chunk: Bytes;
  readonly left: Bytes;
  readonly hasStar: boolean;
  readonly isLast: boolean;
}

/** Returns where the chunk's first match ends: at the start, or anywhere behind a star. The last one ends the name. */
function findChunk({ chunk, left, hasStar, isLast }: Search, spend: Spend): number | undefined {
  for (let skipped = 0; skipped === 0 || (hasStar && skipped <= left.length); skipped += 1) {
    const length = chunkLength(chunk, left.subarray(skipped), spend);
    const end = length === undefined ? undefined : skipped + length;
    if (end !== undefined && (!isLast || end === left.length)) return end;
  }
  return undefined;
}

/** Returns how many bytes of `name` the chunk matches; undefined: it does not match there. */
function chunkLength(chunk: Bytes, name: Bytes, spend: Spend): number | undefined {
  let at = 0;
  let used = 0;
  while (at < chunk.length) {
    if (used >= name.length) return undefined;
    const term = matchTerm(chunk, at, { name, used });
    spend((term.end - at) * COMPARISON);
    if (!term.matches) return undefined;
    used += term.width;
    at = term.end;
  }
  return used;
}

interface Term {
  readonly matches: boolean;
  /** Bytes of the name. */
  readonly width: number;
  /** Where the next term of the chunk begins. */
  readonly end: number;
}

function matchTerm(chunk: Bytes, at: number, { name, used }: { name: Bytes; used: number }): Term {
  const byte = chunk[at];
  if (byte === OPEN) {
    const { code, width } = runeAt(name, used);
    return { ...matchClass(chunk, at + 1, code), width };
  }
  if (byte === QUESTION) return { matches: true, width: runeAt(name, used).width, end: at + 1 };
  const literal = byte === BACKSLASH ? at + 1 : at;
  if (literal >= chunk.length) throw new PatternError();
  return { matches: chunk[literal] === name[used], width: 1, end: literal + 1 };
}

function matchClass(chunk: Bytes, start: number, code: number): { matches: boolean; end: number } {
  const isNegated = chunk[start] === CARET;
  let at = isNegated ? start + 1 : start;
  let isIn = false;
  for (let ranges = 0; ; ranges += 1) {
    if (chunk[at] === CLOSE && ranges > 0) return { matches: isIn !== isNegated, end: at + 1 };
    const low = classRune(chunk, at);
    let high = low;
    at = low.end;
    if (chunk[at] === DASH) {
      high = classRune(chunk, at + 1);
      at = high.end;
    }
    if (low.code <= code && code <= high.code) isIn = true;
  }
}

function classRune(chunk: Bytes, start: number): { code: number; end: number } {
  const first = chunk[start];
  if (first === undefined || first === DASH || first === CLOSE) throw new PatternError();
  const at = first === BACKSLASH ? start + 1 : start;
  if (at >= chunk.length) throw new PatternError();
  const { code, width } = runeAt(chunk, at);
  // A class needs its closing bracket.
  if ((code === INVALID && width === 1) || at + width >= chunk.length) throw new PatternError();
  return { code, end: at + width };
}

const INVALID = 0xfffd;

/** The character at a place; one byte of 0xFFFD where the bytes are not UTF-8. */
function runeAt(bytes: Bytes, at: number): { code: number; width: number } {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return { code: byte, width: 1 };
  const slice = bytes.subarray(at, at + widthOf(byte));
  const char = slice.toString("utf8");
  const code = char.codePointAt(0) ?? INVALID;
  const isWhole = slice.length > 1 && Buffer.from(char).equals(slice) && String.fromCodePoint(code) === char;
  return isWhole ? { code, width: slice.length } : { code: INVALID, width: 1 };
}

function widthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
