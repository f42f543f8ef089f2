import type { ErrorBody } from "../../api/page.ts";
import { ACTING, identity } from "./session.ts";

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

/** An answer of the API: its body, or the problem. */
type Asked =
  | { readonly body: unknown; readonly etag: string }
  | { readonly same: true }
  | { readonly error: ErrorBody };

const LIMIT_MS = 20_000;

/** Asks the API by GET. `topic` is a path below `/api/v1/` with its query. Never throws. */
export async function ask(topic: string, etag?: string, signal?: AbortSignal): Promise<Asked> {
  const headers = { ...identity(), ...(etag === undefined ? {} : { "If-None-Match": etag }) };
  return answered(
    topic,
    signal === undefined ? { headers } : { headers, signal },
    "see whether capstan still runs in its terminal; this page asks again by itself",
  );
}

/** Acts by POST. `path` is below `/api/v1/`. Never throws, and never sends twice. */
export async function act(path: string, body: object): Promise<Asked> {
  const headers = { ...identity(), ...ACTING };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return answered(path, init, "it may have been done: look at the state again before you repeat it");
}

/** `next` is the next step of the person when no answer comes. */
async function answered(path: string, init: RequestInit, next: string): Promise<Asked> {
  try {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const signal = init.signal instanceof AbortSignal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await fetch(`/api/v1/${path}`, { ...init, cache: "no-store", signal });
    if (response.status === 304) return { same: true };
    const body: unknown = await response.json();
    if (!response.ok) return { error: body as ErrorBody };
    noteServerTime(body);
    return { body, etag: response.headers.get("ETag") ?? "" };
  } catch (error) {
    return { error: unreachable(error, next) };
  }
}

/** The console itself does not answer. */
function unreachable(error: unknown, next: string): ErrorBody {
  return {
    status: 0,
    reason: "Unreachable",
    message: `the console does not answer (${error instanceof Error ? error.message : "no reason given"})`,
    next,
  };
}
