import type { Place } from "./moved-fields.ts";

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
/** The pattern of a part, written so that no text can be read in two ways (S-52). */
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = new RegExp(`^\\+?(0|(${PART.source})+)$`);
const MAX_LENGTH = 256;
const INT32_MAX = 2 ** 31 - 1;

/**
 * Returns the whole seconds of a Go duration such as `1h30m` or `1500ms`, truncated, at most 2^31 - 1. Throws
 * Error for anything else,
 * negative ones and those of more than 256 characters included.
 */
export function toSeconds(duration: unknown, { field }: Place): number {
  const isDuration = typeof duration === "string" && duration.length <= MAX_LENGTH && DURATION.test(duration);
  if (!isDuration) {
    const shown = String(JSON.stringify(duration)).slice(0, MAX_LENGTH);
    throw new Error(
      `${field}: ${shown} is not a duration of at least 0; write it with units, such as 90s, 10m or 1h30m`,
    );
  }
  let nanoseconds = 0;
  for (const [, amount = "", unit = ""] of duration.matchAll(PART)) {
    nanoseconds += Math.round(Number(amount) * (NANOSECONDS[unit] ?? 0));
  }
  return Math.min(Math.trunc(nanoseconds / 1e9), INT32_MAX);
}
