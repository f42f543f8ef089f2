const NANOSECONDS: { readonly [unit: string]: number } = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3,
  "\u03bcs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
/** The pattern of a part, written so that no text can be read in two ways (S-52). */
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
const DURATION = new RegExp(`^[+-]?(0|(${PART.source})+)$`);
const MAX_LENGTH = 256;
const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);
const HOUR = 3600;
const MINUTE = 60;

/**
 * Returns the whole seconds of a Go duration such as `1h30m` or `1500ms`, truncated towards zero, within 32 bits. Throws
 * Error for anything else, texts of more than 256 characters included.
 */
export function toSeconds(duration: unknown): number {
  const isDuration = typeof duration === "string" && duration.length <= MAX_LENGTH && DURATION.test(duration);
  if (!isDuration) {
    const shown = String(JSON.stringify(duration)).slice(0, MAX_LENGTH);
    throw new Error(`${shown} is not a duration; write it with units, such as 90s, 10m or 1h30m`);
  }
  let nanoseconds = 0;
  for (const [, amount = "", unit = ""] of duration.matchAll(PART)) {
    nanoseconds += Math.round(Number(amount) * (NANOSECONDS[unit] ?? 0));
  }
  const seconds = Math.trunc(nanoseconds / 1e9);
  return duration.startsWith("-") ? Math.max(-seconds, INT32_MIN) || 0 : Math.min(seconds, INT32_MAX);
}

/** Returns a number of seconds as Go writes durations: `10m0s`. */
export function toDuration(seconds: unknown): string {
  if (!Number.isInteger(seconds)) throw new Error("must be a whole number of seconds");
  const left = Math.abs(Number(seconds));
  const [hours, minutes] = [Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE)];
  const parts = [
    hours > 0 ? `${hours}h` : "",
    hours > 0 || minutes > 0 ? `${minutes}m` : "",
    `${left % MINUTE}s`,
  ];
  return `${Number(seconds) < 0 ? "-" : ""}${parts.join("")}`;
}
