import { PAUSED_ANNOTATION } from "../../api/indexes.ts";
import { type KubeObject, titleOf } from "../../api/kinds.ts";
import { valueAt } from "../../api/path.ts";
import { MINUTE } from "../../function/backoff.ts";
import type { AnyFunction, Notice } from "../../function/define-function.ts";

/** The number of times, within `FOREIGN_WITHIN_MS`, that show another controller, and not a person who edits. */
export const FOREIGN_TIMES = 3;
export const FOREIGN_WITHIN_MS = 10 * MINUTE;

/** A function leaves an object alone, since two controllers that undo each other's writes help no one. */
export interface StandBack {
  readonly afterMs: number;
  readonly notice: Notice;
  /** The object as the function that writes its status reads it: it shows it as paused. Absent: nothing is run. */
  readonly shown?: KubeObject;
}

/**
 * Returns how a function stands back from an object whose spec, finalizers or owner references another controller
 * changes, too; undefined when it does not. A paused object needs nothing: its functions only say that it is paused. The
 * state is shown once after each such write; when the other controller writes over it, it is not fought for.
 */
export function standBack({ spec }: AnyFunction, object: KubeObject, now: Date): StandBack | undefined {
  const { foreign, annotations = {} } = object.metadata;
  if (foreign === undefined || Object.hasOwn(annotations, PAUSED_ANNOTATION)) return undefined;
  const until = new Date(foreign.until);
  if (until <= now) return undefined;
  const message =
    `${foreign.manager} has changed spec, finalizers or owner references of Capstan on ` +
    `${titleOf(object.kind, object.metadata)} ${FOREIGN_TIMES} times within 10 minutes, so Capstan leaves the object alone ` +
    `until 10 minutes after its last write; end that controller, or give the object to it (capstan takeover back)`;
  const notice = { type: "Warning", reason: "ForeignController", message } as const;
  const afterMs = until.getTime() - now.getTime();
  if (!spec.owns.includes("status") || isWrittenOver(object, until)) return { afterMs, notice };
  return { afterMs, notice, shown: { ...object, metadata: { ...object.metadata, standsBack: message } } };
}

/** Another controller has written since that the object is not paused. */
function isWrittenOver(object: KubeObject, until: Date): boolean {
  const conditions = valueAt(object, "status.conditions");
  const paused = (Array.isArray(conditions) ? conditions : []).find(
    (one) => valueAt(one, "type") === "Paused",
  );
  const since = new Date(String(valueAt(paused, "lastTransitionTime")));
  return valueAt(paused, "status") === "False" && since.getTime() > until.getTime() - FOREIGN_WITHIN_MS;
}
