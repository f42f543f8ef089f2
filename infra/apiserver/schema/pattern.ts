/** Longest text a pattern is tried on; anything longer does not match (S-52). */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Longest pattern, in characters. */
const MAX_PATTERN_LENGTH = 4096;

interface Pattern {
  readonly test: (text: string) => boolean;
}

const patterns = new Map<string, Pattern | undefined>();

/**
 * A schema's `pattern`, written for RE2, as a matcher that finds it anywhere in a text.
 * Undefined for what RE2 does not know (look-around, back-references) or we cannot translate; compiled once.
 */
export function compilePattern(source: string): Pattern | undefined {
  if (patterns.has(source)) return patterns.get(source);
  const pattern = compile(source);
  // Patterns come from CustomResourceDefinitions, so their number is bounded; this bounds a server that reloads them.
  if (patterns.size >= 10_000) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  const translated = translate(source);
  if (translated === undefined) return undefined;
  try {
    const expression = new RegExp(translated.source, translated.flags);
    return { test: (text) => text.length <= MAX_TEXT_LENGTH && expression.test(text) };
  } catch {
    return undefined;
  }
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

interface Translated {
  readonly source: string;
  readonly flags: string;
}

/** One token of RE2 syntax per match, so that what is inside a class can be told from what is outside. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\x\{[0-9A-Fa-f]+\}|\\[pP](?:\{\^?\w+\}|\w)|\\.|\[:\^?\w+:\]|\(\?(?:P?<\w+>|[^:)]*[:)]?)|[\s\S]/gsu;

function translate(source: string): Translated | undefined {
  const { rest, flags } = leadingFlags(source);
  let text = "";
  /** What a class consists of so far; undefined outside of one. */
  let classText: string | undefined;
  for (const [token] of rest.matchAll(TOKEN)) {
    const isInside = classText !== undefined;
    const part = classText === undefined ? outerToken(token) : classToken(token, classText);
    if (part === undefined) return undefined;
    if (!isInside && token === "[") classText = "";
    else if (classText === undefined) text += part;
    else if (part === CLASS_END) {
      text += `[${classText}]`;
      classText = undefined;
    } else classText += part;
  }
  return classText === undefined ? { source: text, flags } : undefined;
}

const CLASS_END = "]";

/** `(?i)` and its like at the start become flags of the whole expression; RE2's `s` and `m` mean the same. */
function leadingFlags(source: string): { readonly rest: string; readonly flags: string } {
  const found = /^\(\?([ims]+)\)/.exec(source);
  if (found === null) return { rest: source, flags: "u" };
  return { rest: source.slice(found[0].length), flags: `u${[...new Set(found[1])].join("")}` };
}

function outerToken(token: string): string | undefined {
  if (token.startsWith("(?")) return groupToken(token);
  if (token.startsWith("\\Q"))
    return token
      .slice(2)
      .replace(/\\E$/, "")
      .replace(/[$()*+./?[\\\]^{|}]/g, "\\$&");
  if (token === "\\A") return "^";
  if (token === "\\z") return "$";
  if (token.startsWith("[:")) return undefined;
  if (token === "\\b" || token === "\\B") return token;
  // A bracket that closes nothing is an ordinary character.
  if (token === "]") return "\\]";
  return token.startsWith("\\") ? escapeToken(token) : token;
}

/** Groups: `(?:`, `(?P<name>` and `(?<name>`; flags and look-around are refused. */
function groupToken(token: string): string | undefined {
  if (token === "(?:") return token;
  const name = /^\(\?P?<(\w+)>$/.exec(token);
  return name === null ? undefined : `(?<${name[1]}>`;
}

/** A bracket inside a class, or directly after it opens, is an ordinary character. */
function classToken(token: string, before: string): string | undefined {
  if (token.startsWith("[:")) {
    const name = /\w+/.exec(token)?.[0] ?? "";
    return token.startsWith("[:^") ? undefined : POSIX_CLASSES[name];
  }
  if (token === "]" && before !== "" && before !== "^") return CLASS_END;
  if (token === "[" || token === "]") return `\\${token}`;
  if (token.startsWith("(?")) return token;
  if (token === "-" && (before === "" || before === "^")) return "\\-";
  return token.startsWith("\\") ? escapeToken(token) : token;
}

/** RE2 lets every punctuation character be escaped, the engine only those that mean something. */
function escapeToken(token: string): string | undefined {
  if (token.startsWith("\\x{")) return `\\u{${token.slice(3, -1)}}`;
  if (/^\\[pP]\w$/.test(token)) return `${token.slice(0, 2)}{${token.slice(2)}}`;
  if (/^\\[pP]/.test(token)) return token;
  if (token === "\\a") return "\\x07";
  if (/^\\[dDsSwWfnrtvx]$/.test(token)) return token;
  if (/^\\[$()*+./?[\\\]^{|}-]$/.test(token)) return token === "\\-" ? "\\x2D" : token;
  return /^\\[0-9A-Za-z]$/.test(token) ? undefined : token.slice(1);
}
