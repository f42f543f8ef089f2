import type { ErrorBody } from "../../api/error.ts";
import { noteServerTime } from "./server-clock.ts";
import { identity } from "./session.ts";

/** An answer of the API: its body, or the problem. */
type Asked =
  | { readonly body: unknown; readonly etag: string }
  | { readonly same: true }
  | { readonly error: ErrorBody };

const LIMIT_MS = 20_000;

/** Asks the API by GET. `topic` is a path below `/api/v1/` with its query. Never throws. */
export async function ask(topic: string, etag?: string, signal?: AbortSignal): Promise<Asked> {
  const headers = { ...identity(), ...(etag === undefined ? {} : { "If-None-Match": etag }) };
  return answered(`/api/v1/${topic}`, { headers }, signal);
}

async function answered(url: string, init: RequestInit, signal?: AbortSignal): Promise<Asked> {
  try {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(url, {
      ...init,
      cache: "no-store",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    if (response.status === 304) return { same: true };
    const body: unknown = await response.json();
    if (!response.ok) return { error: body as ErrorBody };
    noteServerTime(body);
    return { body, etag: response.headers.get("ETag") ?? "" };
  } catch (error) {
    return { error: unreachable(error) };
  }
}

/** The console itself does not answer. */
function unreachable(error: unknown): ErrorBody {
  return {
    status: 0,
    reason: "Unreachable",
    message: `the console does not answer (${error instanceof Error ? error.message : "no reason given"})`,
    next: "see whether capstan still runs in its terminal; this page asks again by itself",
  };
}
