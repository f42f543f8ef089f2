const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns an age or a delay as kubectl prints it: `45s`, `12m`, `5h`, `3d`; negative ones are `0s`. */
export function ageText(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)}h` : `${Math.floor(ms / DAY)}d`;
}

/** Returns how long something took: `12 ms`, `1.4 s`, `3.2 min`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  return ms < MINUTE ? `${(ms / SECOND).toFixed(1)} s` : `${(ms / MINUTE).toFixed(1)} min`;
}

/** Returns a count, a whole number, with separated thousands: `10,000`. */
export function countText(count: number): string {
  // Not toLocaleString: its first call loads tables for 20 to 40 ms, longer than all rows of the first page take.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Returns `1 Machine`, `983 Machines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
