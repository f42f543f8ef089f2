import { isUtf8 } from "node:buffer";
import { matchesGlob, PatternError, type Spend } from "./glob.ts";

/** An operator has cut a character of the value in two. Differs: also where the halves meet again. */
export class CutCharacterError extends Error {}

/** clusterctl ends with a panic. */
export class BadLengthError extends Error {}

/**
 * Returns what an operator makes of a value. Every unknown combination of `,` and `^` leaves it as it is, as in the real
 * library. Throws CutCharacterError or BadLengthError. Source: PC-8, funcs.go of github.com/drone/envsubst
 */
export function applyOperator(
  operator: string,
  value: string,
  args: readonly string[],
  spend: Spend,
): string {
  spend(value.length);
  const [first = "", second] = args;
  switch (operator) {
    case "length":
      return String(Buffer.byteLength(value));
    case ",":
      return changeFirst(value, toLower);
    case "^":
      return changeFirst(value, toUpper);
    case ",,":
      return Array.from(value, toLower).join("");
    case "^^":
      return Array.from(value, toUpper).join("");
    case ":":
      return substring(value, first, second);
    case "#":
    case "##":
      return trim(value, first, { isLongest: operator === "##", spend });
    case "%":
    case "%%": {
      const isLongest = operator === "%%";
      return reversed(trim(reversed(value), reversed(first), { isLongest, spend }));
    }
    case "/":
    case "//":
      return replace(value, first, { by: second ?? "", isAll: operator === "//", spend });
    case "/#":
      if (second === undefined || !value.startsWith(first)) return value;
      return second + value.slice(first.length);
    case "/%":
      if (second === undefined || !value.endsWith(first)) return value;
      return value.slice(0, value.length - first.length) + second;
    default:
      return value === "" ? args.join("") : value;
  }
}

/** One character for one: `ß` has no upper case of one character. */
function toUpper(char: string): string {
  const upper = char.toUpperCase();
  return Array.from(upper).length === 1 ? upper : char;
}

/** `İ` becomes a bare `i`. */
function toLower(char: string): string {
  const [lower = char] = char.toLowerCase();
  return lower;
}

function changeFirst(value: string, change: (char: string) => string): string {
  const [first = ""] = value;
  return first === "" ? value : change(first) + value.slice(first.length);
}

/** Cuts in bytes. A negative offset, which only a nested variable can give, counts from the end. */
function substring(value: string, offset: string, length: string | undefined): string {
  const bytes = Buffer.from(value);
  const given = integer(offset);
  if (given === undefined) return value;
  const from = given < 0n ? max(BigInt(bytes.length) + given, 0n) : given;
  const count = length === undefined ? undefined : integer(length);
  if (length !== undefined && count === undefined) return value;
  const to = count === undefined ? undefined : BigInt.asIntN(64, from + count);
  if (to === undefined || to >= BigInt(bytes.length)) {
    return from < BigInt(bytes.length) ? textOf(bytes.subarray(Number(from))) : "";
  }
  if (to < from) throw new BadLengthError();
  return textOf(bytes.subarray(Number(from), Number(to)));
}

const INTEGER = /^[+-]?[0-9]{1,30}$/;

/** Returns undefined for a text that is not an integer of 64 bits. */
function integer(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const number = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

interface Trimming {
  readonly isLongest: boolean;
  readonly spend: Spend;
}

/** Removes the longest or shortest prefix of at least one byte that the pattern matches; a bad pattern removes nothing. */
function trim(value: string, pattern: string, { isLongest, spend }: Trimming): string {
  const bytes = Buffer.from(value);
  const glob = Buffer.from(pattern);
  let found = 0;
  try {
    for (let length = bytes.length; length > 0; length -= 1) {
      spend(1);
      if (!matchesGlob(glob, bytes.subarray(0, length), spend)) continue;
      found = length;
      if (isLongest) break;
    }
  } catch (error) {
    if (error instanceof PatternError) return value;
    throw error;
  }
  return textOf(bytes.subarray(found));
}

function reversed(text: string): string {
  return Array.from(text).reverse().join("");
}

interface Replacing {
  readonly by: string;
  readonly isAll: boolean;
  readonly spend: Spend;
}

/** An empty text is found before each character and at the end. */
function replace(value: string, text: string, { by, isAll, spend }: Replacing): string {
  const pieces = text === "" ? ["", ...value, ""] : value.split(text);
  if (pieces.length === 1) return value;
  spend(isAll ? pieces.length * by.length : by.length);
  if (isAll) return text === "" ? [...pieces.slice(0, -1), ""].join(by) : pieces.join(by);
  return `${pieces[0] ?? ""}${by}${value.slice((pieces[0] ?? "").length + text.length)}`;
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new CutCharacterError();
  return bytes.toString("utf8");
}
