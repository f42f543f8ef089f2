import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { KeyState } from "../../../shared/runtime/queue/queue-port.ts";
import type { Place } from "../api/place.ts";
import type { Keys } from "../api/queue.ts";
import { sees, type Viewer } from "../viewer.ts";

/** Whether the viewer sees a key; a malformed one is for those who see all. */
export function seesKey(viewer: Pick<Viewer, "sight">, key: string): boolean {
  const parts = parseKey(key);
  return parts === undefined ? viewer.sight === "all" : sees(viewer, parts.namespace);
}

/** The object that a key is about; a malformed key has none. */
export function objectOf(key: string): Place | undefined {
  const parts = parseKey(key);
  if (parts === undefined) return undefined;
  const { kind, namespace, name } = parts;
  return kind === "Cluster"
    ? { type: "cluster", namespace, name }
    : { type: "object", kind, namespace, name };
}

/** A state as the API writes it. */
export function shownState({ since, until, causes, ...state }: KeyState): Omit<Keys["items"][number], "key"> {
  return { ...state, since: since?.toISOString(), until: until?.toISOString(), causes };
}
