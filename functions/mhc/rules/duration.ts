const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

/** Writes whole seconds in Go's words: `0s`, `1m30s`, `10m0s`, `24h0m0s`. */
export function durationText(seconds: number): string {
  const hours = Math.floor(seconds / SECONDS_PER_HOUR);
  const minutes = Math.floor((seconds % SECONDS_PER_HOUR) / SECONDS_PER_MINUTE);
  const rest = `${seconds % SECONDS_PER_MINUTE}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
