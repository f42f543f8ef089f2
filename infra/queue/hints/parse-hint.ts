import type { Hint } from "../../../shared/runtime/queue/hints.ts";

/** Longer than 500 keys of 480 characters, which is what a call of the ledger changes at most. */
const MAX_CHARS = 4 * 1_024 * 1_024;

/**
 * Reads a message of a script: a JSON list of the key that it has changed (`{cap:<function>}:l:`, `…:d:`, or the objects
 * of a type) and what has changed there. Undefined for any other text: any client with the right to publish may send one.
 */
export function parseHint(message: string): Hint | undefined {
  const [place, ...changed] = listIn(message);
  if (place === undefined) return undefined;
  const [, name, part] = /^\{cap:([a-z0-9-]{1,63})\.?\}:([ld]):$/.exec(place) ?? [];
  if (name !== undefined) return { of: part === "l" ? "keys" : "letters", function: name, keys: changed };
  const [, ...type] = /^\{cap:store:([^{}:]*)\}?:([^{}:]*):([^{}:]*)\}?:objects$/.exec(place) ?? [];
  const [cluster, group, kind] = type.map(decoded);
  const [namespace, objectName] = listIn(changed[0] ?? "");
  if (cluster === undefined || group === undefined || kind === undefined) return undefined;
  if (namespace === undefined || objectName === undefined) return undefined;
  return { of: "snapshot", type: { cluster, group, kind }, key: { namespace, name: objectName } };
}

/** A list of texts, else an empty one. */
function listIn(text: string): readonly string[] {
  try {
    const parsed: unknown = text.length > MAX_CHARS ? [] : JSON.parse(text);
    return Array.isArray(parsed) && parsed.every((one) => typeof one === "string") ? parsed : [];
  } catch {
    return [];
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
