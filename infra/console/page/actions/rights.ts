import type { Me } from "../../api/me.ts";

/** Actions on dead letters. */
export type LetterAction = "requeue" | "drop";

/**
 * Whether the viewer may act on a letter in this namespace; undefined: a malformed key, which needs the right everywhere.
 * A button that the viewer may not press is absent; the server asks again at each press.
 */
export function mayAct(me: Me | undefined, action: LetterAction, namespace: string | undefined): boolean {
  if (me?.routes.includes(`POST /letters/{function}/{key}/${action}`) !== true) return false;
  const reach = me.may[action];
  return reach === "all" || (namespace !== undefined && reach.includes(namespace));
}

/** Whether the viewer may act on letters of several namespaces: on those of some at least. */
export function mayActOnMany(me: Me | undefined, action: LetterAction): boolean {
  return me?.routes.includes("POST /jobs") === true && me.may[action].length > 0;
}

/** Whether the viewer may replay letters of some namespaces at least. */
export function mayTry(me: Me | undefined): boolean {
  return me?.routes.includes("POST /trials") === true && me.may.try.length > 0;
}

/** Whether the viewer may pause and resume functions. */
export function mayPause(me: Me | undefined): boolean {
  return me?.routes.includes("POST /queue/{function}/pause") === true && me.may.pause;
}
