/** A phase is one word. */
const MAX_CHARS = 32;

/** Returns `status.phase` of an object, for readers of a trace. */
export function phaseOf(object: object | undefined): string | undefined {
  const { phase } = (object as { readonly status?: { readonly phase?: unknown } } | undefined)?.status ?? {};
  return typeof phase === "string" ? phase.slice(0, MAX_CHARS) : undefined;
}
