import type { KubeObject } from "../../api/kinds.ts";
import { type Pausing, pauses } from "../../function/guards.ts";
import { condition, type DesiredCondition } from "./conditions.ts";

/** Returns the condition `Paused`; `kindName` is the kind as people read it. */
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
