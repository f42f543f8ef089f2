import { PAUSED_ANNOTATION } from "../../api/indexes.ts";
import type { KubeObject } from "../../api/kinds.ts";
import { condition, type DesiredCondition } from "../conditions/conditions.ts";
import { isLetGo, LET_GO_FIELDS } from "./let-go.ts";

/** The fields of an object itself that say whether it is paused. */
export const PAUSE_FIELDS = [`metadata.annotations[${PAUSED_ANNOTATION}]`, ...LET_GO_FIELDS] as const;

/** The part of a Cluster that pausing looks at. */
export interface Pausing {
  readonly spec?: { readonly paused?: boolean | undefined } | undefined;
}

/**
 * By its Cluster, by its own annotation, whose value is ignored, or because a mover deletes it here: such an object is
 * left alone, too, and says nothing of it.
 */
export function isPaused(cluster: Pausing | undefined, object: KubeObject): boolean {
  return pauses(cluster, object, object.kind).length > 0 || isLetGo(object);
}

/** The field that has to change before a paused object is worked on again; `undefined` when it is not paused. */
export function pausedBy(cluster: Pausing | undefined, object: KubeObject): string | undefined {
  if (cluster?.spec?.paused === true) return "Cluster.spec.paused";
  if (isLetGo(object)) return `${object.kind} deleted`;
  if (object.metadata.standsBack !== undefined) return object.metadata.standsBack;
  return isPaused(cluster, object) ? `${object.kind}.metadata.annotations[${PAUSED_ANNOTATION}]` : undefined;
}

/** Condition `Paused`; `kindName` is the kind as people read it. */
export function pausedCondition(
  cluster: Pausing | undefined,
  object: KubeObject,
  kindName: string,
): DesiredCondition {
  const reasons = pauses(cluster, object, kindName);
  const { standsBack } = object.metadata;
  const reason = reasons.length === 1 && standsBack !== undefined ? "ForeignController" : "Paused";
  return reasons.length > 0
    ? condition("Paused", "True", reason, reasons.join(", "))
    : condition("Paused", "False", "NotPaused");
}

function pauses(cluster: Pausing | undefined, object: KubeObject, kindName: string): readonly string[] {
  return [
    ...(cluster?.spec?.paused === true ? ["Cluster spec.paused is set to true"] : []),
    ...(Object.hasOwn(object.metadata.annotations ?? {}, PAUSED_ANNOTATION)
      ? [`${kindName} has the ${PAUSED_ANNOTATION} annotation`]
      : []),
    ...(object.metadata.standsBack === undefined ? [] : [object.metadata.standsBack]),
  ];
}
