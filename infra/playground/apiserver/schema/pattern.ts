import { RE2JS, RE2JSException } from "re2js";
import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";

/**
 * Patterns of schemas and of CEL's `matches`, in RE2 syntax and in linear time (S-52), as in the real server.
 * Source: https://github.com/google/re2/wiki/Syntax
 */
interface Pattern {
  /** Whether it is found anywhere in a text. */
  readonly test: (text: string) => boolean;
  /** Instructions of the compiled program; the most steps that one character of a text can take. */
  readonly programSize: number;
}

/** A pattern that RE2 refuses, with its reason: `error parsing regexp: invalid or unsupported Perl syntax: …`. */
interface RefusedPattern {
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

/** The most that all patterns of a schema may weigh, each counted once: about two seconds to compile. */
const MAX_WEIGHT = 400_000;

interface Walk {
  readonly causes: Cause[];
  readonly seen: Set<string>;
  weight: number;
}

/** Patterns that RE2 refuses, wherever they are in the schema of a CustomResourceDefinition. */
export function patternCauses(schema: JsonObject, field: string): Cause[] {
  const walk: Walk = { causes: [], seen: new Set(), weight: 0 };
  visit(walk, schema, field);
  return walk.causes;
}

function visit(walk: Walk, schema: Json | undefined, field: string): void {
  if (!isJsonObject(schema)) return;
  const { pattern, properties, items, additionalProperties, not } = schema;
  if (typeof pattern === "string" && pattern !== "") checkPattern(walk, pattern, `${field}.pattern`);
  if (isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties))
      visit(walk, child, `${field}.properties[${name}]`);
  }
  visit(walk, items, `${field}.items`);
  visit(walk, additionalProperties, `${field}.additionalProperties`);
  visit(walk, not, `${field}.not`);
  for (const junctor of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[junctor];
    if (!Array.isArray(list)) continue;
    for (const [index, child] of list.entries()) visit(walk, child, `${field}.${junctor}[${index}]`);
  }
}

function checkPattern(walk: Walk, pattern: string, field: string): void {
  const problem = problemOf(walk, pattern);
  if (problem === undefined) return;
  const text = `must be a valid regular expression, but isn't: ${problem}`;
  const message = `Invalid value: ${JSON.stringify(pattern)}: ${text}`;
  walk.causes.push({ reason: "FieldValueInvalid", message, field });
}

function problemOf(walk: Walk, pattern: string): string | undefined {
  if (!walk.seen.has(pattern)) {
    walk.seen.add(pattern);
    walk.weight += patternWeight(pattern);
  }
  if (walk.weight > MAX_WEIGHT) return "the patterns of this schema are too large together";
  const compiled = compilePattern(pattern);
  return isRefused(compiled) ? compiled.problem : undefined;
}

/** Work done so far for one object. */
export interface Spent {
  /** Characters tried on patterns, times the size of their programs. */
  patternSteps: number;
  /** The first pattern beyond the limit; no further one is tried, and the object is refused for it. */
  tooLong?: { readonly pattern: string; readonly path: string };
}

/**
 * The most steps for one object. A pattern of 25 instructions may be tried on 1.2 MiB of text; the worst patterns take
 * about 100 ns a step.
 * Differs: the real server has no such limit; here one event loop serves all clients.
 */
const MAX_PATTERN_STEPS = 32_000_000;

/**
 * Returns the problem of a text with a schema's `pattern`, worded as the real server words it; undefined when it
 * matches. A pattern that RE2 refuses is left out: its CustomResourceDefinition was stored before such were refused.
 */
export function patternProblem(spent: Spent, source: string, text: string, path: string): string | undefined {
  const pattern = compilePattern(source);
  if (isRefused(pattern) || spent.tooLong !== undefined) return undefined;
  spent.patternSteps += (text.length + 1) * pattern.programSize;
  if (spent.patternSteps > MAX_PATTERN_STEPS) {
    spent.tooLong = { pattern: source, path };
    return undefined;
  }
  return pattern.test(text) ? undefined : `should match '${source}'`;
}

/** Refuses an object that was not tried on all patterns. */
export function tooLongCause({ pattern, path }: NonNullable<Spent["tooLong"]>): Cause {
  const problem = `too long to be matched with '${pattern}': all texts of an object may take ${MAX_PATTERN_STEPS} steps together`;
  return {
    reason: "FieldValueInvalid",
    message: `Invalid value: ${path} in body is ${problem}`,
    field: path || "<nil>",
  };
}
