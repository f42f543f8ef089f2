import { isObject, isText } from "./kind-shapes.ts";

/** The answer of the API server to a request that it did not carry out. */
export interface Status {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly details: StatusDetails;
}

export interface StatusDetails {
  readonly name: string | undefined;
  readonly kind: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: readonly StatusCause[];
}

interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Longer answers are not read for a Status. Real ones have a few hundred bytes. */
const MAX_LENGTH = 1024 * 1024;
const MAX_CAUSES = 100;
const MAX_TEXT = 1_024;

/**
 * Reads a Status; `undefined` when the text is not one, as from a proxy; `malformed` when a member has the wrong type.
 */
export function statusIn(text: string): Status | "malformed" | undefined {
  if (!text.startsWith("{")) return undefined;
  if (text.length > MAX_LENGTH) return "malformed";
  try {
    return statusOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Reads a Status from a parsed value, like `statusIn`. */
export function statusOf(value: unknown): Status | "malformed" | undefined {
  if (!isObject(value) || value["kind"] !== "Status") return undefined;
  const { code, reason, message } = value;
  const details = detailsOf(value["details"] ?? {});
  const fits = isOptional(code, isNumber) && isOptional(reason, isText) && isOptional(message, isText);
  if (details === undefined || !fits) return "malformed";
  return { code: code as number | undefined, reason: cut(reason), message: cut(message), details };
}

function detailsOf(value: unknown): StatusDetails | undefined {
  if (!isObject(value)) return undefined;
  const { name, kind, retryAfterSeconds } = value;
  const causes = value["causes"] ?? [];
  const fits =
    isOptional(name, isText) && isOptional(kind, isText) && isOptional(retryAfterSeconds, isNumber);
  if (!fits || !Array.isArray(causes)) return undefined;
  const known = causes.slice(0, MAX_CAUSES);
  if (!known.every(isCause)) return undefined;
  return {
    name: name as string | undefined,
    kind: kind as string | undefined,
    retryAfterSeconds: retryAfterSeconds as number | undefined,
    causes: known.map(causeOf),
  };
}

function isCause(value: unknown): value is { readonly [name: string]: unknown } {
  return isObject(value) && ["reason", "message", "field"].every((name) => isOptional(value[name], isText));
}

function causeOf({ reason, message, field }: { readonly [name: string]: unknown }): StatusCause {
  const known = { reason: cut(reason), message: cut(message), field: cut(field) };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function cut(value: unknown): string | undefined {
  return isText(value) ? value.slice(0, MAX_TEXT) : undefined;
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}
