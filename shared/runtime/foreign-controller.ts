import { PAUSED_ANNOTATION } from "../api/indexes.ts";
import { type KubeObject, titleOf } from "../api/kinds.ts";
import { TerminalError } from "../function/errors.ts";

/**
 * Throws TerminalError `ForeignController` for an object that another controller changes, too: two that undo each other's
 * writes help no one. A paused object passes, because its functions only say that it is paused. Source: D-905
 */
export function refuseBesideForeign({ kind, metadata }: KubeObject, now: Date): void {
  const { foreign, annotations = {} } = metadata;
  if (foreign === undefined || Object.hasOwn(annotations, PAUSED_ANNOTATION)) return;
  if (new Date(foreign.until) <= now) return;
  throw new TerminalError(
    "ForeignController",
    `${foreign.manager} has changed fields of Capstan on ${titleOf(kind, metadata)} three times within 10 minutes; ` +
      "end that controller, or give the object to it (capstan takeover back). Capstan leaves the object alone until 10 minutes after its last write",
  );
}
