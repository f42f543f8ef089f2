const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Ages up to which two units are shown, the second while it still matters. Source: apimachinery, util/duration. */
const STEPS: readonly { readonly belowMs: number; readonly show: (ms: number) => string }[] = [
  { belowMs: 2 * MINUTE, show: (ms) => `${Math.floor(ms / SECOND)}s` },
  { belowMs: 10 * MINUTE, show: (ms) => two(ms, [MINUTE, "m"], [SECOND, "s"]) },
  { belowMs: 3 * HOUR, show: (ms) => `${Math.floor(ms / MINUTE)}m` },
  { belowMs: 8 * HOUR, show: (ms) => two(ms, [HOUR, "h"], [MINUTE, "m"]) },
  { belowMs: 2 * DAY, show: (ms) => `${Math.floor(ms / HOUR)}h` },
  { belowMs: 8 * DAY, show: (ms) => two(ms, [DAY, "d"], [HOUR, "h"]) },
  { belowMs: 2 * YEAR, show: (ms) => `${Math.floor(ms / DAY)}d` },
  { belowMs: 8 * YEAR, show: (ms) => two(ms, [YEAR, "y"], [DAY, "d"]) },
  { belowMs: Number.POSITIVE_INFINITY, show: (ms) => `${Math.floor(ms / YEAR)}y` },
];

/** Returns the time since an RFC 3339 instant, as kubectl has it: `5s`, `3m20s`, `2d4h`; `<unknown>` without one. */
export function ageSince(instant: unknown, now: Date): string {
  if (typeof instant !== "string") return "<unknown>";
  const ms = now.getTime() - Date.parse(instant);
  if (Number.isNaN(ms)) return "<invalid>";
  if (ms < -2 * SECOND) return "<invalid>";
  if (ms < 0) return "0s";
  return STEPS.find((step) => ms < step.belowMs)?.show(ms) ?? "";
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}
