import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import { applyOperator, BadLengthError, CutCharacterError } from "./operators.ts";
import { type Part, parseTemplate, SubstitutionError, type Use } from "./parse.ts";

/** `${ VAR}`, `${VAR }`, `${ VAR }`. White space beside an operator stays. Linear: its repetitions share no character. */
const SPACED = /\$\{(?:[\t\n\f\r ]+[A-Za-z0-9_$]+[\t\n\f\r ]*|[A-Za-z0-9_$]+[\t\n\f\r ]+)\}/g;

const SPACES = /[\t\n\f\r ]+/g;

/** The text without white space in `${ VAR }`, and where its places were before. */
interface Unspaced {
  readonly text: string;
  /** Returns the place in the text as it was written. */
  readonly originOf: (at: number) => number;
}

/** A variable of a text, by its first occurrence: only that decides whether a value is needed. */
interface Variable {
  readonly name: string;
  /** The line of the first occurrence, from 1. */
  readonly line: number;
  /** Operator of the first occurrence; empty for a bare one. */
  readonly operator: string;
  /** Text of its arguments, whatever the operator; undefined: a value is needed. */
  readonly default: string | undefined;
  /** Some occurrence has a default in the proper sense: `:=`, `=`, `:-`, `:?` or `:+`. */
  readonly hasDefault: boolean;
}

/** Returns the value of a variable; undefined: it is not set. */
export type Lookup = (name: string) => string | undefined;

export interface Template {
  /** The variables in alphabetical order. */
  readonly variables: readonly Variable[];
  /** Returns the text with values. Throws TemplateError where a value does not fit its operator or is too large. */
  readonly evaluate: (lookup: Lookup) => string;
}

/** The text has no valid substitutions; `line` is that of its `${`, from 1. */
export class TemplateError extends Error {
  readonly line: number;
  /** The reason without the line. */
  readonly reason: string;
  constructor(reason: string, line: number, cause: unknown) {
    super(`line ${line}: ${reason}`, { cause });
    this.name = "TemplateError";
    this.line = line;
    this.reason = reason;
  }
}

/** UTF-16 units of a result; a comparison of a pattern counts as eight. */
const MAX_STEPS = 64 * 1024 * 1024;

/**
 * Reads a file as clusterctl does before it is YAML: variables in comments count. Linear in its length. Throws
 * TemplateError. Source: PC-8.
 */
export function readTemplate(source: string): Template {
  const { text, originOf } = removeSpaces(source);
  const lineAt = lineIndex(source);
  const locate = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof SubstitutionError)) throw error;
      throw new TemplateError(error.message, lineAt(originOf(error.at)), error);
    }
  };
  const parts = locate(() => parseTemplate(text));
  return {
    variables: variablesOf(parts, (at) => lineAt(originOf(at))),
    evaluate: (lookup) => locate(() => evaluate(parts, lookup)),
  };
}

/** Returns how many of ascending `places` are not behind `at`, in logarithmic time. */
function countUpTo(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the line of a place in a text, from 1. The text is read once, when it is asked first. */
function lineIndex(text: string): (at: number) => number {
  let ends: number[] | undefined;
  return (at) => {
    ends ??= lineFeeds(text);
    // A line feed belongs to the line that it ends.
    return countUpTo(ends, at - 1) + 1;
  };
}

function lineFeeds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return ends;
}

/** Names without value whose first occurrence has no arguments, sorted. */
export function missingVariables({ variables }: Template, lookup: Lookup): readonly string[] {
  return variables
    .filter((variable) => variable.default === undefined && lookup(variable.name) === undefined)
    .map(({ name }) => name);
}

const DEFAULT_OPERATORS: ReadonlySet<string> = new Set(["=", ":=", ":-", ":?", ":+"]);

/** Variables that occur only in the default of another are not collected, as in clusterctl. */
function variablesOf(parts: readonly Part[], lineAt: (at: number) => number): readonly Variable[] {
  const found = new Map<string, Variable>();
  for (const part of parts) {
    if (typeof part === "string") continue;
    const { name, operator, at } = part;
    const hasDefault = DEFAULT_OPERATORS.has(operator);
    const first = found.get(name) ?? {
      name,
      operator,
      line: lineAt(at),
      default: defaultOf(part),
      hasDefault,
    };
    found.set(name, first.hasDefault === hasDefault ? first : { ...first, hasDefault: true });
  }
  return [...found.values()].toSorted((a, b) => compareText(a.name, b.name));
}

/** Returns the default; undefined: a value is needed. */
function defaultOf({ args }: Use): string | undefined {
  const text = args.map((arg) => (typeof arg === "string" ? arg : `\${${arg.name}}`)).join("");
  return text === "" ? undefined : text;
}

function evaluate(parts: readonly Part[], lookup: Lookup): string {
  let steps = 0;
  const spend = (count: number, at: number): void => {
    steps += count;
    if (steps > MAX_STEPS)
      throw new SubstitutionError("values make the text too large; use shorter ones", at);
  };
  const resultOf = (use: Use): string => {
    const args = use.args.map((arg) => (typeof arg === "string" ? arg : resultOf(arg)));
    try {
      return applyOperator(use.operator, lookup(use.name) ?? "", args, (count) => spend(count, use.at));
    } catch (error) {
      throw explained(error, use);
    }
  };
  return parts
    .map((part) => {
      const text = typeof part === "string" ? part : resultOf(part);
      spend(text.length, typeof part === "string" ? 0 : part.at);
      return text;
    })
    .join("");
}

/** Names the variable, never its value. */
function explained(error: unknown, { name, operator, at }: Use): unknown {
  if (error instanceof CutCharacterError) {
    return new SubstitutionError(
      `${operator} cuts a character of variable ${name}; use a value in ASCII`,
      at,
    );
  }
  if (error instanceof BadLengthError) {
    return new SubstitutionError(`length of ${name} is negative: clusterctl panics; use one from 0`, at);
  }
  return error;
}

/** Makes the first pass of clusterctl over a file. Source: PC-8. */
function removeSpaces(text: string): Unspaced {
  const ends: number[] = [];
  const removed: number[] = [0];
  const result = text.replace(SPACED, (found, at: number) => {
    const bare = found.replace(SPACES, "");
    const before = removed.at(-1) ?? 0;
    // Places within it count as its beginning.
    ends.push(at - before + bare.length);
    removed.push(before + found.length - bare.length);
    return bare;
  });
  return { text: result, originOf: (at) => at + (removed[countUpTo(ends, at)] ?? 0) };
}
