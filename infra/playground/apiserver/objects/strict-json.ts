import { integerOf } from "../../../platform/yaml/long-integer.ts";
import type { Json } from "./json.ts";

export interface ParsedJson {
  readonly value: Json;
  /** Paths of members that occur twice, such as `spec.size`, the first hundred; the last one wins. */
  readonly duplicates: string[];
}

/** Deeper documents are refused; the limit of Go's decoder is 10,000, ours keeps recursion within the stack. */
export const MAX_DEPTH = 1000;

/**
 * Parses JSON and names members that occur twice. A member `__proto__` is a member like any other (S-50).
 * `checkDuplicates: false` skips the search for a caller that ignores them.
 * Throws SyntaxError for text that is not JSON, is nested deeper than 1,000 levels or has a number that is too large.
 */
export function parseJson(text: string, { checkDuplicates = true } = {}): ParsedJson {
  const value = readJson(text);
  return { value, duplicates: findDuplicates(text, checkDuplicates) };
}

/** The digits without which every number is one of JavaScript; texts may hold them, too. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Parses as `JSON.parse` does, but keeps integers of 64 bits. Throws SyntaxError for a number that is too large. */
export function readJson(text: string): Json {
  // The source of a value is not in the types yet.
  const revive = exactNumber as unknown as (name: string, value: unknown) => unknown;
  return (LONG_NUMBER.test(text) ? JSON.parse(text, revive) : JSON.parse(text)) as Json;
}

function exactNumber(_: string, value: Json, { source = "" }: { readonly source?: string }): Json {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value))
    throw new SyntaxError(`json: cannot unmarshal number ${source} into Go value of type float64`);
  return /^-?\d+$/.test(source) ? integerOf(BigInt(source)) : value;
}

/** More are not named: each has a path as long as the document is deep. */
const MAX_DUPLICATES = 100;

/** An object or list the scan is in. */
interface Level {
  /** Names seen so far, with whether they are reported; undefined in a list. */
  readonly names: Map<string, boolean> | undefined;
  /** The member in hand, or its index in a list. */
  at: string | number;
}

/** A string, or a character that opens, closes or separates; scalars in between need no look. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Whether objects and lists are nested deeper than so many levels. */
export function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** Scans text that is known to be JSON. A string is a name when a colon follows it. */
function findDuplicates(text: string, checkDuplicates: boolean): string[] {
  const levels: Level[] = [];
  const duplicates = new Set<string>();
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    switch (token) {
      case "{":
      case "[":
        if (levels.length >= MAX_DEPTH) throw new SyntaxError("exceeded max depth");
        levels.push(token === "{" ? { names: new Map(), at: "" } : { names: undefined, at: 0 });
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case ":":
        if (!enterMember(levels.at(-1), last) && checkDuplicates && duplicates.size < MAX_DUPLICATES)
          duplicates.add(pathOf(levels));
        break;
      case ",":
        enterNextItem(levels.at(-1));
        break;
      default:
        last = token;
    }
  }
  return [...duplicates];
}

/** Returns false when the object in hand had a member of that name already, once for each name. */
function enterMember(level: Level | undefined, quotedName: string): boolean {
  if (level?.names === undefined) return true;
  level.at = JSON.parse(quotedName) as string;
  const reported = level.names.get(level.at);
  level.names.set(level.at, reported !== undefined);
  return reported !== false;
}

function enterNextItem(level: Level | undefined): void {
  if (typeof level?.at === "number") level.at += 1;
}

function pathOf(levels: readonly Level[]): string {
  return levels.reduce((path, { at }) => {
    if (typeof at === "number") return `${path}[${at}]`;
    return path === "" ? at : `${path}.${at}`;
  }, "");
}
