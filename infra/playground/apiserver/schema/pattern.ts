import { RE2JS, RE2JSException } from "re2js";

/**
 * Patterns of schemas and of CEL's `matches`, in RE2 syntax and in linear time (S-52), as in the real server.
 * Source: https://github.com/google/re2/wiki/Syntax
 */
export interface Pattern {
  /** Whether it is found anywhere in a text. */
  readonly test: (text: string) => boolean;
  /** Instructions of the compiled program; the most steps that one character of a text can take. */
  readonly programSize: number;
}

/** A pattern that RE2 refuses, with its reason: `error parsing regexp: invalid or unsupported Perl syntax: …`. */
export interface RefusedPattern {
  readonly problem: string;
}

/** Longest pattern, in characters. */
const MAX_PATTERN_LENGTH = 4096;

/**
 * The most that one pattern may weigh.
 * Differs: the real server has no such limit; here one event loop serves all clients.
 */
const MAX_PATTERN_WEIGHT = 100_000;

/** Compiled programs are kept for as long as there are fewer; each takes up to some 100 KiB. */
const MAX_KEPT_PATTERNS = 1_000;

const kept = new Map<string, Pattern | RefusedPattern>();

/** The pattern as a matcher, compiled once; or why it cannot be one. */
export function compilePattern(source: string): Pattern | RefusedPattern {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const pattern = compile(source);
  if (kept.size >= MAX_KEPT_PATTERNS) kept.clear();
  kept.set(source, pattern);
  return pattern;
}

export function isRefused(pattern: Pattern | RefusedPattern): pattern is RefusedPattern {
  return "problem" in pattern;
}

function compile(source: string): Pattern | RefusedPattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `it is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  if (patternWeight(source) > MAX_PATTERN_WEIGHT) {
    return { problem: "its repetitions and character classes make it too large" };
  }
  try {
    const program = RE2JS.compile(source);
    return { test: (text) => program.test(text), programSize: program.programSize() };
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message };
    throw error;
  }
}

/**
 * Returns the cost of compiling a pattern, in characters of an ordinary one; about 5 µs each. Counted repetitions are
 * written out, Unicode classes are tables, and in patterns that ignore case the members of a wide range are taken one
 * by one.
 */
export function patternWeight(source: string): number {
  const ignoresCase = /\(\?[a-zA-Z-]*i/.test(source);
  const wideRanges = ignoresCase ? count(source, /-(?:\\x|\P{ASCII})/gu) : 0;
  return (
    source.length + 500 * count(source, /(?<!\\x)\{\d/g) + 50 * count(source, /\\p/gi) + 1_000 * wideRanges
  );
}

function count(text: string, expression: RegExp): number {
  return text.match(expression)?.length ?? 0;
}
