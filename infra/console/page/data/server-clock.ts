/** The lead of the server's clock over the browser's, in milliseconds. */
let aheadMs = 0;

/** Takes the time of an answer: ages are by the server's clock, however wrong the clock of the browser is. */
export function noteServerTime(body: unknown): void {
  const { asOf, now = asOf } = (body ?? {}) as { readonly asOf?: unknown; readonly now?: unknown };
  const time = typeof now === "string" ? Date.parse(now) : Number.NaN;
  if (Number.isFinite(time)) aheadMs = time - Date.now();
}

/** The time now by the clock of the server, in milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
