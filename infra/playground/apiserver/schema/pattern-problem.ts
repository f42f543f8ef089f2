import type { Cause } from "../errors/status-error.ts";
import { compilePattern, isRefused } from "./pattern.ts";

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
