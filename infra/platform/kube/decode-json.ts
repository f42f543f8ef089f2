/** Bounds of a text from a server. Whole answers are bounded in bytes before (S-14). */
export interface JsonBounds {
  /** Objects and lists within each other, those around the items of a list included. */
  readonly maxDepth: number;
  /** The length of one item of a list, or of anything that is not a list, in UTF-16 units. */
  readonly maxItemLength: number;
  /** Values in one item: the time that it takes to parse one follows from these. */
  readonly maxItemValues: number;
  /** Values in the whole text: the memory that they take follows from these. */
  readonly maxValues: number;
  readonly maxItems: number;
}

/** The text is JSON that exceeds its bounds. */
export class JsonTooLarge extends Error {
  readonly isTooDeep: boolean;
  constructor(message: string, isTooDeep = false) {
    super(message);
    this.isTooDeep = isTooDeep;
  }
}

/** Texts up to this length are parsed at once, which takes a few milliseconds. */
const SHORT = 256 * 1024;
/** Longest part of a list beside its items. */
const MAX_ENVELOPE = 1024 * 1024;
/** Characters between two looks at the clock. */
const STRETCH = 64 * 1024;

/**
 * Parses JSON; a long text in pieces, so that other work gets the event loop in between (KR-20): the text is scanned
 * first, which bounds the rest, then each item of a list is parsed by itself. `pause` is called between two pieces.
 * Throws SyntaxError, JsonTooLarge.
 */
export async function decodeJson(
  text: string,
  bounds: JsonBounds,
  pause: () => Promise<void> | undefined,
): Promise<unknown> {
  if (text.length <= SHORT) {
    const value: unknown = JSON.parse(text);
    // Every answer and event of the management server passes here, and its depth has no limit.
    if (bounds.maxDepth !== Number.POSITIVE_INFINITY && isDeeperThan(value, bounds.maxDepth)) {
      throw tooDeep(bounds);
    }
    return value;
  }
  const scan = new Scan(text, bounds);
  while (scan.advance()) await pause();
  const { items, itemsStart, itemsEnd } = scan;
  if (items === undefined) return JSON.parse(text);
  if (text.length - (itemsEnd - itemsStart) > MAX_ENVELOPE) {
    throw new JsonTooLarge(`a list has more than ${MAX_ENVELOPE} bytes beside its items`);
  }
  const envelope = JSON.parse(`${text.slice(0, itemsStart)}${text.slice(itemsEnd)}`) as object;
  const parsed: unknown[] = [];
  for (const { start, end } of items) {
    parsed.push(JSON.parse(text.slice(start, end)));
    await pause();
  }
  return { ...envelope, items: parsed };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

interface Item {
  readonly start: number;
  readonly end: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const ITEMS = '"items"';

/** Finds the items of a list and counts values, without creating any. JSON.parse finds malformed JSON afterwards. */
class Scan {
  /** The items of the member `items` of the outermost object; undefined when that is not a list. */
  items: Item[] | undefined;
  /** The places behind its `[` and at its `]`. */
  itemsStart = 0;
  itemsEnd = 0;
  readonly #text: string;
  readonly #bounds: JsonBounds;
  #at = 0;
  #depth = 0;
  #values = 0;
  #allValues = 0;
  #itemStart = 0;
  #inItems: boolean = false;
  /** The last string of the outermost object: before a `[` it is the name of a member. */
  #nameStart = 0;
  #nameEnd = 0;

  constructor(text: string, bounds: JsonBounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  /** Scans the next stretch. Returns false at the end. */
  advance(): boolean {
    const text = this.#text;
    const until = Math.min(text.length, this.#at + STRETCH);
    while (this.#at < until) {
      const code = text.charCodeAt(this.#at);
      if (code === QUOTE) this.#skipString();
      else this.#see(code);
      this.#at += 1;
    }
    if (this.#at < text.length) return true;
    if (this.items === undefined) this.#checkItem(0, text.length);
    return false;
  }

  #see(code: number): void {
    if (code === COMMA) {
      this.#count();
      if (this.#inItems && this.#depth === 2) this.#endItem();
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#close();
  }

  #open(code: number): void {
    this.#depth += 1;
    this.#count();
    if (this.#depth > this.#bounds.maxDepth) throw tooDeep(this.#bounds);
    if (code !== OPEN_LIST || this.#depth !== 2 || !this.#isNamedItems()) return;
    if (this.items !== undefined) throw new SyntaxError("a list has items twice");
    this.#inItems = true;
    this.items = [];
    this.itemsStart = this.#at + 1;
    this.#itemStart = this.itemsStart;
    this.#values = 0;
  }

  #close(): void {
    if (this.#inItems && this.#depth === 2) {
      if (this.items?.length !== 0 || this.#text.slice(this.#itemStart, this.#at).trim() !== "")
        this.#endItem();
      this.#inItems = false;
      this.itemsEnd = this.#at;
    }
    this.#depth -= 1;
  }

  #endItem(): void {
    this.#checkItem(this.#itemStart, this.#at);
    this.items?.push({ start: this.#itemStart, end: this.#at });
    if ((this.items?.length ?? 0) > this.#bounds.maxItems) {
      throw new JsonTooLarge(`a list has more than ${this.#bounds.maxItems} items`);
    }
    this.#itemStart = this.#at + 1;
    this.#values = 0;
  }

  #checkItem(start: number, end: number): void {
    if (end - start > this.#bounds.maxItemLength) {
      throw new JsonTooLarge(`an object is longer than ${this.#bounds.maxItemLength} bytes`);
    }
  }

  #count(): void {
    this.#values += 1;
    this.#allValues += 1;
    if (this.#allValues > this.#bounds.maxValues) {
      throw new JsonTooLarge(`the answer has more than ${this.#bounds.maxValues} values`);
    }
    if (this.#values > this.#bounds.maxItemValues) {
      throw new JsonTooLarge(`an object has more than ${this.#bounds.maxItemValues} values`);
    }
  }

  /** Moves to the quote that ends the string. */
  #skipString(): void {
    const text = this.#text;
    const start = this.#at;
    let end = text.indexOf('"', start + 1);
    while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.#at = end < 0 ? text.length : end;
    if (this.#depth === 1) [this.#nameStart, this.#nameEnd] = [start, this.#at + 1];
  }

  #isNamedItems(): boolean {
    const length = this.#nameEnd - this.#nameStart;
    return length === ITEMS.length && this.#text.startsWith(ITEMS, this.#nameStart);
  }
}

/** Returns whether an odd number of backslashes stands before a quote. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}

function tooDeep({ maxDepth }: JsonBounds): JsonTooLarge {
  return new JsonTooLarge(`it is nested deeper than ${maxDepth} levels`, true);
}
